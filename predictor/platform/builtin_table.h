// The table that embed.cmake writes from builtin/*.xml.
#pragma once

#include <span>
#include <string_view>

namespace farcast::platform {

struct BuiltinFile {
  std::string_view name;
  std::string_view xml;
};

std::span<const BuiltinFile> builtin_files();

} // namespace farcast::platform
