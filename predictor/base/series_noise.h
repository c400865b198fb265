// How far a sum of durations may be off for what chance is in them, from one series of them: what
// the program does (sizes that shrink, phases, rounds of several sizes) is not chance.
//
// Durations of one computation, in the order in which they were measured -> standard error of their
// sum. It comes from second differences of the sums of neighbouring blocks, against their level:
// B(k-1) - 2 B(k) + B(k+1) leaves out what changes in a straight line, and what spans a step to
// another level is left out; a block that stands out alone is chance (an interruption). Where the
// series goes round a cycle, blocks are whole rounds, or of few rounds the differences are those to
// the same place of the rounds before and behind. What durations remember of the one before is
// taken from second differences at distances 1 and 3 to 6, as of an autoregression of order 1, and
// put right in the sum. Changes that take longer than some three fortieths of the series cannot be
// told from what the program does: they are no noise here. Of fewer than some 100 durations memory
// is hardly seen: intervals of one series that has any are too narrow then (40 durations with
// memory 0.6: 78 of 100 hold the truth in place of 90). Sources: variances by differences: von
// Neumann et al., The mean square successive difference, 1941; Gasser, Sroka and Jennen-Steinmetz,
// Residual variance and residual pattern in nonlinear regression, 1986; their use with trends and
// correlated noise: Hall and Van Keilegom, Using difference-based methods for inference in
// nonparametric regression with time series errors,
// 2003. Rejected: resampling of whole blocks, which takes every trend and phase for noise. Pure
//       functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace farcast::base {

inline constexpr std::size_t kFewestOfSeries = 16; // durations that noise can be told from

struct SeriesNoise {
  double of_sum = 0;     // standard error of the sum, in its unit
  double of_one = 0;     // standard deviation of a single one, as a share of its level: of no more than of_sum says
  double memory = 0;     // correlation of two in a row
  double degrees = 4;    // of freedom of of_sum: how sure it is
  std::size_t block = 1; // durations in a row whose sums of_sum was told from
};

// What durations remember of the one before: series of one computation remember alike, and several
// tell more than one.
class Memory {
public:
  void add(std::span<const double> series);
  // Returns: from 0 to 0.8; 0 where what was seen is within what chance makes of it.
  [[nodiscard]] double value() const;

private:
  double near_ = 0, far_ = 0; // variance of second differences at distance 1 and at 3 to 6, as a share of the level; times seen_
  double seen_ = 0;           // durations
};

// Returns: no noise of fewer than kFewestOfSeries, or of a series that does not vary.
// `each`: so many durations are summed up in each figure of the series (of_one is that of such sums).
SeriesNoise noise_of(std::span<const double> series, double memory, std::uint64_t each = 1);

// Returns: variance of a long sum per duration over that of one, of an autoregression.
double long_over_one(double memory);

// Returns: 95 % point of Student's t over that of the normal distribution, by Cornish and Fisher's
// expansion.
double wider_than_normal(double degrees);

} // namespace farcast::base
