// How sure a figure is whose samples came in batches: groups in order of time, each of one moment
// and one placement in memory.
//
// Samples of a batch share what a rerun does not share with them, and batches near in time resemble
// each other: a machine that others use, or whose clock moves, drifts over seconds. Counting
// samples as independent, as the plain intervals of statistics.h and linear.h do, then gives
// intervals several times too narrow.
//
// pull[batch] = what that batch moves the figure by, against what the others would have it be; in
// order of time, sum 0 -> Estimate. The variance is the mean of the squares of the pulls' kWaves
// slowest cosine sums, with Student's t of as many degrees of freedom: the long-run variance by
// equally weighted cosines, which holds under drift slower than a batch (Mueller 2007; Lazarus,
// Lewis, Stock and Watson 2018), and is the usual one of independent groups (Liang and Zeger 1986)
// where there are no more batches than waves.
// Samples of several runs: batches are numbered from run * kBatchesOfRun on. Then no more waves
// count than runs differ in (runs
// - 1, at most kWaves), as steps between runs lie in the slowest ones: two runs say little of how
//   far a third may be off. What
// stays the same within a run, and is another in each run, no such figure can know. Threads: pure
// functions.
#pragma once

#include "calib/fit/statistics.h"

#include <span>

namespace farcast::fit {

inline constexpr int kNoBatch = -1;
inline constexpr std::size_t kWaves = 4;
inline constexpr int kBatchesOfRun = 1 << 16;
inline constexpr std::size_t kLeastBatches = 3; // fewer say nothing about batches

// Requires: kLeastBatches pulls, waves >= 1.
Estimate batch_estimate(double value, std::span<const double> pulls, double confidence = 0.95, std::size_t waves = kWaves);
// Returns: the waves that count for batches of these numbers. Requires: 0 <= first <= last.
std::size_t waves_of(int first_batch, int last_batch);

// The median of all, with the error that the medians of the batches tell; without batches enough as
// median_estimate.
// Requires: a value, batch[i] of values[i] or kNoBatch, in order of time.
Estimate batch_median_estimate(std::span<const double> values, std::span<const int> batch, double confidence = 0.95);

// The wider one of two estimates of one figure.
const Estimate& less_sure(const Estimate& a, const Estimate& b);

} // namespace farcast::fit
