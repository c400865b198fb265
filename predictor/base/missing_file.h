// What to say of a file that cannot be found: what stands in its folder and has a name like it.
#pragma once

#include <string>

namespace farcast::base {

// Returns: "; did you mean run.h5?" with the nearest name in the file's folder; empty: none is near.
std::string nearest_beside(const std::string& path);

// Returns: the reason of `error` (errno of stat() or open()) as the system has it; of a file that is not
// there also the nearest name in its folder, or that there is no such folder.
std::string why_not_found(const std::string& path, int error);

} // namespace farcast::base
