// Files that somebody named, for reading: regular files and pipes (`<(zcat trace.gz)`).
//
// Never devices, folders or sockets: a device may never end (/dev/zero), block, or do something
// when it is opened. Never more than a bound, for a name may be mistaken. Threads: any.
#pragma once

#include "predictor/base/result.h"

#include <cstddef>
#include <string>

namespace farcast::base {

inline constexpr std::size_t kMostText = std::size_t{64} << 20U; // bytes of a file that is read as a whole

// An open descriptor.
class InputFile {
public:
  // Errors: not there, may not be read, neither a regular file nor a pipe. The sentence is the
  // reason alone, without the path.
  static Result<InputFile> open(const std::string& path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool is_pipe() const { return pipe_; }
  // Appends up to `size` more bytes to `out`. Returns: how many; 0 at the end. Errors: the reason
  // alone.
  Result<std::size_t> append(std::string& out, std::size_t size);

private:
  InputFile(int descriptor, bool pipe) : descriptor_(descriptor), pipe_(pipe) {}
  int descriptor_;
  bool pipe_;
};

// Returns: what the file holds, byte for byte. Errors: as of open(), or more than `most` bytes; the
// reason alone.
Result<std::string> contents_of(const std::string& path, std::size_t most = kMostText);
// The same; errors are one sentence with the path.
Result<std::string> read_file(const std::string& path, std::size_t most = kMostText);

} // namespace farcast::base
