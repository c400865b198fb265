// Times against message sizes as straight sections: how many, where each begins, and how sure all
// of it is.
//
// Samples (bytes, seconds) in any order -> sections seconds = base + per_byte * bytes, each holding
// strictly above its first size up to and including the next one's; neighbours need not meet.
// Invariants:
// 1. Sections are in order of size, the first begins at 0, and bytes -> section is total.
// 2. Partition: dynamic programming, optimal for each number of sections over all places between
//    two different sizes (up to 1,000 samples; above, over a grid and then over every place near
//    the breaks found there).
// 3. Number of sections: least of sum of squares / noise^2 + 4 log n per further section: Schwarz's
//    price for a line's two parameters, and as much again for the place of its break, which n
//    samples offer: the modified BIC of Zhang and Siegmund (2007) with a line for a mean. (Theirs
//    prices parameters by the section's own samples: short false sections become too cheap.)
// 4. Noise: sd(y)^2 = additive^2 + (relative * y)^2, from second differences, which no trend moves,
//    and by medians, which no jump or outlier moves; then corrected by the residuals, at most by a
//    quarter. Weights use the fitted y: weighting by the measured one pulls fits down by 2
//    relative^2.
// 5. Outliers (4 noise scales from their line) move nothing, and are counted. A few of them
//    together do not make a section.
// 6. The same samples in another order give the same fit; nothing is random.
// 7. Intervals of a section's parameters include that its ends are only known so well, and where
//    samples have batches, what differs between those (batches.h). Sizes fall into batches by
//    chance, so places of breaks need no such care.
// Source: Bai and Perron (1998); intervals of breaks by likelihood ratio, Eo and Morley (2015).
// Threads: pure functions.
// Time: 0.2 s for 10,000 samples.
#pragma once

#include "calib/fit/batches.h"
#include "predictor/base/result.h"

#include <cstddef>
#include <span>
#include <vector>

namespace farcast::fit {

struct TimedSize {
  double bytes = 0.0;
  double seconds = 0.0;
  int batch = kNoBatch; // in order of time
};

struct PiecewiseOptions {
  std::size_t min_samples = 10;  // per section; at least 4
  std::size_t max_sections = 12; // at least one more than required breaks
  // Breaks that are known (an eager limit): sizes <= it belong below. More are found beside them.
  std::vector<double> required_breaks_bytes;
  double confidence = 0.95; // of every interval, each for itself
  // Noise that is taken to be there at least, as a share of the time: a section that improves the
  // fit by less is not worth having.
  double least_relative_noise = 0.001;
};

struct Section {
  double from_bytes = 0.0; // holds for bytes > from_bytes; 0 in the first (which holds for 0 bytes too)
  Estimate base_s;         // seconds at 0 bytes, by extrapolation: may be negative
  Estimate per_byte_s;     // seconds per byte
  double r_squared = 0.0;  // weighted by the noise, without outliers
  // |measured - fitted| / fitted, outliers included: 50th, 90th and 95th percentile.
  double residual_50 = 0.0;
  double residual_90 = 0.0;
  double residual_95 = 0.0;
  std::size_t samples = 0; // outliers included
  std::size_t outliers = 0;
  double smallest_bytes = 0.0; // of the samples
  double largest_bytes = 0.0;
};

struct Breakpoint {
  double bytes = 0.0;                                          // from_bytes of the section above
  std::size_t samples_below = 0;                               // in order of size: where the samples are cut
  std::size_t first_samples_below = 0, last_samples_below = 0; // interval of that cut
  Interval bytes_interval;                                     // the same in bytes; a required break's is {bytes, bytes}
  double jump_s = 0.0;                                         // line above minus line below, at the break
  double jump_over_noise = 0.0;                                // in units of the noise of one sample there
  bool required = false;
};

struct PiecewiseFit {
  std::vector<Section> sections;
  std::vector<Breakpoint> breaks; // one less than sections
  double additive_noise_s = 0.0;  // standard deviation of a sample: sqrt(additive^2 + (relative * fitted)^2)
  double relative_noise = 0.0;
  double r_squared = 0.0; // of all sections together, as in a section
  std::size_t samples = 0;
  std::size_t outliers = 0;

  // Returns: the section that holds for this size. Requires: a fit that has sections.
  [[nodiscard]] const Section& section(double bytes) const;
  // Returns: the fitted seconds, never below 0.
  [[nodiscard]] double operator()(double bytes) const;
  // Returns: the noise of one sample of that fitted time.
  [[nodiscard]] double noise(double seconds) const;
};

// Errors: too few samples (min_samples of at least two sizes; in each part between required
// breaks), sizes or times that are negative or not finite, options out of range.
base::Result<PiecewiseFit> fit_piecewise(std::span<const TimedSize> samples, const PiecewiseOptions& options = {});

} // namespace farcast::fit
