// The name of a file without the folders that it is in. Threads: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace farcast::base {

// Returns: what stands behind the last '/', the whole path where there is none.
inline std::string base_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

} // namespace farcast::base
