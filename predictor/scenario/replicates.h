// Ranks that run one region equally often, as replicates of one another: what they have in common
// at a step is what the program does there, and what is left is noise, however few the steps are
// and however they differ.
//
// [rank][step] durations -> x(rank, step) = rank's factor x mean of the step x (1 + noise): a
// layout in two ways (Fisher, Statistical methods for research workers, 1925, chapter VII),
// multiplicative, for noise is a share of what is computed. Each step weighs as the square of its
// mean, as it does in the variance of a sum. Whether ranks have the same mean is asked elsewhere
// (region_spread.cpp, levels_of): here each has its own.
// Not told apart: noise that all ranks have at the same step is taken for what the program does,
// and work that falls to one rank at one step and to another one at the next, for noise. Pure
// functions, any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace farcast::scenario {

struct Replicates {
  double variance = 0;      // of noise, as a share of the level: its square
  double degrees = 0;       // of freedom of the variance, of all ranks together
  std::vector<double> rank; // [rank] factor
  std::vector<double> step; // [step] mean over the ranks
};

inline constexpr double kFewestDegrees = 3; // with fewer, a standard error is hardly known

// Requires: all series are equally long, durations at least 0. Returns: unset where too little is
// there to tell, or the ranks are not alike: they differ by more than half at a step.
std::optional<Replicates> replicates_of(const std::vector<std::span<const double>>& ranks);

// Returns: [rank][step] what is left of the durations, around 1: without the means of steps and the
// ranks' factors, and scaled so that it varies as the noise does (means of so few ranks have a
// share of it).
std::vector<std::vector<double>> left_of(const std::vector<std::span<const double>>& ranks, const Replicates& replicates);

} // namespace farcast::scenario
