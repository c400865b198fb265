// A fuzzer's bytes as a file, for readers that open files by name; and what must hold whatever the
// bytes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace farcast::fuzz {

// A fault that the fuzzer keeps the input of.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// Under its name until the object goes. Not a memory file: HDF5 resolves the symbolic links of a
// name, which those do not survive.
class InputFile {
public:
  InputFile(const std::uint8_t* data, std::size_t size) : path_("/tmp/farcast-fuzz-XXXXXX") {
    const int file = mkstemp(path_.data());
    require(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size) && close(file) == 0);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { unlink(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace farcast::fuzz
