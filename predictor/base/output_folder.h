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

namespace farcast::base {

class OutputFolder {
public:
  // Errors: something is there already, the parent is missing or not writable.
  static Result<OutputFolder> create(const std::string& path);
  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  // Writes a whole file. Errors: disk full and the like; names the file as it would be called.
  Result<void> write(const std::string& name, std::string_view content);
  // Where the content stands before commit(): for libraries that write files by name themselves
  // (OTF2).
  [[nodiscard]] const std::string& aside_path() const { return aside_; }
  // Errors: the rename; nothing is left behind.
  Result<void> commit();

private:
  OutputFolder() = default;
  std::string path_;
  std::string aside_; // empty: committed
};

} // namespace farcast::base
