// SimGrid's list of host numbers: "0-15,17,20-31".
#pragma once

#include "predictor/base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace farcast::platform {

inline constexpr std::int64_t kMostHosts = 1 << 21; // more is taken for a slip in the file

// Returns: the numbers in the order of the text, without repetition.
// Errors: malformed or reversed range, a number twice, more than kMostHosts numbers.
base::Result<std::vector<std::uint32_t>> parse_radical(std::string_view text);

} // namespace farcast::platform
