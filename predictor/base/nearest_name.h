// Which of the known names a mistyped one may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace farcast::base {

// Returns: the number of single-character insertions, deletions and replacements between two names
// (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns: up to `most` of `names`, nearest first (ties in the order given), none further than half
// the length of `name`, rounded up.
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& names, std::size_t most = 3);

} // namespace farcast::base
