// A file that appears complete or not at all: written aside in the same directory, then renamed
// over its name.
//
// Path -> AtomicFile -> commit(). Invariants:
// 1. Until commit() succeeds, a file that had the name before is untouched.
// 2. A file that was not committed, or whose writing failed, leaves nothing behind.
// 3. What is not a regular file (/dev/stdout, a FIFO) is written in place: renaming would replace
//    the device itself.
// 4. A symbolic link is followed: its target is replaced, the link stays.
// Not synced to disk: it guards against a half-written report, not against a power cut.
// Threads: each object belongs to one thread; any number of objects at once, also for the same name
// (the last one wins).
#pragma once

#include "predictor/base/result.h"

#include <string>
#include <string_view>

namespace farcast::base {

class AtomicFile {
public:
  // Errors: the directory is missing or not writable, the name is a directory.
  static Result<AtomicFile> create(const std::string& path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // Appends. Errors: disk full and the like; the file is then given up.
  Result<void> write(std::string_view content);
  // Where the content stands before commit(): for libraries that open files by name themselves (HDF5).
  [[nodiscard]] const std::string& aside_path() const { return aside_; }
  // Gives the content its name. Requires: libraries that opened aside_path() have closed it.
  // Errors: a late write error, a failed rename; nothing is left behind.
  Result<void> commit();

private:
  AtomicFile() = default;
  void discard();

  std::string path_;   // as the user named it: for messages
  std::string target_; // symbolic links resolved
  std::string aside_;  // equal to target_ when written in place
  int descriptor_ = -1;
};

// Writes a whole file. Errors: one sentence that names the path; no partial file is left behind.
Result<void> write_file(const std::string& path, std::string_view content);

} // namespace farcast::base
