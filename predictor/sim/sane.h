// Recorded figures may be odd (a broken clock, a truncated file); none of them may stop time or
// turn it back.
#pragma once

#include <limits>

namespace farcast::sim {

inline double sane(double value) { return value > 0 && value <= std::numeric_limits<double>::max() ? value : 0; }

} // namespace farcast::sim
