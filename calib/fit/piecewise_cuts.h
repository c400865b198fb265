// The first half of a piecewise fit: samples in order -> where they are cut, which are outliers,
// and how noisy each is.
//
// piecewise.h says by which rules. Alternates between cuts (given noise, level and outliers) and
// these (given the lines between the cuts) until nothing changes. Threads: pure functions.
#pragma once

#include "calib/fit/noise.h"
#include "calib/fit/partition.h"

#include <cstddef>
#include <span>
#include <vector>

namespace farcast::fit {

inline constexpr double kOutlier = 4.0;          // noise scales
inline constexpr std::size_t kFullSearch = 1000; // samples up to which every cut is tried

struct CutSamples {
  std::vector<std::size_t> cuts; // 0, the cuts, number of samples
  std::vector<char> kept;        // [sample] 0: an outlier
  Noise noise;
  std::vector<double> weight; // [sample] 1 / noise^2; 0 for outliers
};

struct CutOptions {
  PartitionOptions partition;
  double least_relative_noise = 0.001;
};

// Requires: x ascending, some y > 0, at least partition.min_samples samples, forced cuts that
// separate different x.
// Returns: no cuts at all where the forced ones leave too little between them.
CutSamples cut_samples(std::span<const double> x, std::span<const double> y, const CutOptions& options);

} // namespace farcast::fit
