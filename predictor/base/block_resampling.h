// How far the sum of a measured series may be off, from the series alone: other series that it might
// have been are made of its own blocks.
//
// A series of durations, in the order in which they were measured -> sums of as long series. Durations
// that follow each other resemble each other (caches, the clock, a neighbour), so whole blocks are
// drawn, long enough that the order within them says what the autocorrelation says.
// Sources: circular blocks: Politis and Romano, A circular block-resampling procedure for stationary
// data, 1992; their length: Politis and White, Automatic block-length selection for the dependent
// bootstrap, 2004, with the correction of 2009.
// Pure functions: the same seed gives the same draws on every machine. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace farcast::base {

// Returns: durations per block, from 1 to a fifth of the series: three times what is best by Politis and
// White, for blocks that are too short make sums seem surer than they are, and never less than the
// integrated autocorrelation time.
std::size_t block_length(std::span<const double> series);

// Returns: `count` sums of series of blocks as long as this one. Their deviations from the sum of the
// series are widened for what few blocks do not show, as Student's t is wider than the normal
// distribution. Requires: block is at least 1.
std::vector<double> resampled_sums(std::span<const double> series, std::size_t block, std::size_t count, std::uint64_t seed);

} // namespace farcast::base
