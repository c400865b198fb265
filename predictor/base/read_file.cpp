#include "predictor/base/read_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace farcast::base {

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf(); // of an empty file it would be an error
  if (file.fail() || !text) return fail(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return text.str();
}

} // namespace farcast::base
