// Seconds per byte, by the slopes between samples: what they have in common besides their sizes
// falls out (Theil 1950, Sen 1968). Samples -> slopes. Threads: pure functions.
#pragma once

#include "calib/study/probe_output.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace farcast::study {

// Returns: seconds per byte, of two samples whose sizes differ.
std::optional<double> slope_between(const Sample& a, const Sample& b);
// Returns: the median of the slopes between all samples; 0: the sizes are all alike.
double median_slope(const std::vector<Sample>& samples);
// Keeps so many at most, of all times alike: slopes grow with the square.
void thin_out(std::vector<Sample>& samples, std::size_t most);

} // namespace farcast::study
