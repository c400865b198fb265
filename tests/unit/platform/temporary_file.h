// A file that lives as long as the object.
#pragma once

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

class TemporaryFile {
public:
  explicit TemporaryFile(const std::string& text) {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) {
      throw std::runtime_error("cannot make " + path_);
    }
    ::close(descriptor);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_ = "/tmp/farcast-test-XXXXXX";
};
