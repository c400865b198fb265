// Recorded figures may be odd (a broken clock, a truncated file); none of them may stop time or
// turn it back.
#pragma once

#include <cmath>

namespace farcast::sim {

inline double sane(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

} // namespace farcast::sim
