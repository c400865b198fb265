// How much measurements scatter around whatever smooth thing they follow, before anybody knows what
// that is.
//
// Samples in order of x, and a first idea of the level at each -> noise scale of each sample.
// Invariants:
// 1. From second differences against the straight line between the neighbours, each scaled to unit
//    gain: a linear trend gives 0 exactly, a jump spoils two of them, an outlier three. Summed up
//    by medians, which neither moves.
// 2. sd(level)^2 = additive^2 + (relative * level)^2, both >= 0; times a local factor where the
//    noise of a stretch of samples is clearly another (another protocol), pulled towards 1.
// Threads: pure functions.
#pragma once

#include <span>
#include <vector>

namespace farcast::fit {

struct NoiseModel {
  double additive = 0.0;
  double relative = 0.0;
  [[nodiscard]] double operator()(double level) const;
};

struct Noise {
  NoiseModel model;
  std::vector<double> scale; // [sample] > 0
};

// Samples with kept[i] = 0 take no part, but get a scale. `least_relative`: at least that share of
// the level.
// Requires: equal lengths, x ascending, levels > 0.
Noise estimate_noise(std::span<const double> x, std::span<const double> y, std::span<const double> level,
                     std::span<const char> kept, double least_relative);

// Returns: the median of y over 7 neighbours in order: a first level without any model.
std::vector<double> running_median(std::span<const double> y);

// Returns: kept[i] = 0 where y[i] is further than `limit` scales from what its neighbours below,
// those above, and those around it each lead one to expect (lines through six neighbours by
// medians): a jump agrees with one side, an outlier with none.
std::vector<char> screen_outliers(std::span<const double> x, std::span<const double> y, std::span<const double> scale,
                                  double limit);

} // namespace farcast::fit
