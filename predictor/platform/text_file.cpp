#include "predictor/platform/text_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>

namespace farcast::platform {

base::Result<std::string> read_text_file(const std::string& path, std::string_view what) {
  constexpr std::size_t kLargest = std::size_t{64} << 20U; // a device named by mistake must not fill the memory
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  std::string text;
  std::array<char, 1U << 16U> block;
  std::size_t got = 1;
  while (file && got > 0) {
    got = std::fread(block.data(), 1, block.size(), file.get());
    text.append(block.data(), got);
    if (text.size() > kLargest) {
      return base::fail(fmt::format("{}: found more than {} bytes, expected {}", path, kLargest, what));
    }
  }
  if (!file || std::ferror(file.get()) != 0) {
    return base::fail(fmt::format("{}: cannot be read ({}), expected {}", path, std::strerror(errno), what));
  }
  return text;
}

} // namespace farcast::platform
