// The run files of a command line as several recordings.
#pragma once

#include "predictor/base/result.h"
#include "predictor/trace/recording.h"

#include <memory>
#include <string>
#include <vector>

namespace farcast::cli {

struct RunOfFiles {
  std::vector<std::string> files;
  std::unique_ptr<trace::Recording> recording;
};

// Returns: the runs in the order of their first files. A file that holds all ranks is a run; one that
// lacks some belongs to the run of the first file before it that is of the same program, library and
// number of ranks, and lacks what it holds.
// Errors: of any file; a rank is missing.
base::Result<std::vector<RunOfFiles>> runs_of(const std::vector<std::string>& files);

} // namespace farcast::cli
