#include "predictor/platform/text_file.h"

#include "predictor/base/read_file.h"

#include <fmt/format.h>

namespace farcast::platform {

base::Result<std::string> read_text_file(const std::string& path, std::string_view what) {
  auto text = base::contents_of(path);
  if (!text) return base::fail(fmt::format("{}: cannot be read ({}), expected {}", path, text.error().message, what));
  return text;
}

} // namespace farcast::platform
