// A folder that appears complete or not at all: filled under another name beside its place, then
// renamed.
//
// Invariants: (1) until commit() there is nothing at the path; (2) an object that was not committed
// removes what it wrote; (3) what a killed process left is removed by the next one that writes the
// same folder. Threads: one.
#pragma once

#include "predictor/base/result.h"

#include <string>
#include <string_view>

namespace farcast::convert {

class OutputFolder {
public:
  // Errors: something is there already, the parent is missing or not writable.
  static base::Result<OutputFolder> create(const std::string& path);
  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  // Writes a whole file. Errors: disk full and the like; names the file as it would be called.
  base::Result<void> write(const std::string& name, std::string_view content);
  // Errors: the rename; nothing is left behind.
  base::Result<void> commit();

private:
  OutputFolder() = default;
  std::string path_;
  std::string aside_; // empty: committed
};

} // namespace farcast::convert
