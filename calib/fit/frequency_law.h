// How the time of a computation follows the clock of its core, from runs at several frequencies.
//
//   T(f) = T(fmax) * (b * fmax / f + 1 - b)
// b is the share of the time that the clock rules: 1 for work in registers and caches, near 0 for
// work that waits for memory. Samples (frequency, seconds of the same work) -> b with its interval.
// 0 <= b <= 1 always: what noise puts beyond is cut off.
// Threads: pure functions.
#pragma once

#include "calib/fit/statistics.h"
#include "predictor/base/result.h"

#include <cstddef>
#include <span>

namespace farcast::fit {

struct FrequencySample {
  double frequency_hz = 0.0;
  double seconds = 0.0;
};

struct FrequencyLaw {
  double max_frequency_hz = 0.0; // the highest one measured
  Estimate seconds_at_max;
  Estimate clock_share;     // b
  double r_squared = 0.0;   // squared Pearson of measured and fitted times
  double residual_95 = 0.0; // 95th percentile of |measured - fitted| / measured
  std::size_t samples = 0;

  // Returns: T(f) / T(fmax). Requires: frequency > 0.
  [[nodiscard]] double operator()(double frequency_hz) const;
};

// Errors: fewer than two frequencies, fewer than three samples, a frequency or time that is not
// positive.
base::Result<FrequencyLaw> fit_frequency_law(std::span<const FrequencySample> samples, double confidence = 0.95);

} // namespace farcast::fit
