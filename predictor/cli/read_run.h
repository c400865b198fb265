// The run files of a command line as one recording.
#pragma once

#include "predictor/trace/run_file.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace farcast::cli {

// Returns: the run, joined from the files of its nodes. Errors: of any file; a rank is missing.
inline base::Result<std::unique_ptr<trace::Recording>> read_run(const std::vector<std::string>& run_files) {
  std::vector<std::unique_ptr<trace::Recording>> parts;
  for (const std::string& path : run_files) {
    auto read = trace::read_run_file(path);
    if (!read) return base::fail(read.error().message);
    parts.push_back(std::move(*read));
  }
  auto run = trace::join(std::move(parts));
  if (!run) return run;
  if (auto complete = trace::check_complete(**run); !complete) return base::fail(complete.error().message);
  return run;
}

} // namespace farcast::cli
