// Summaries of a sample of measurements: centre, spread, percentiles, and how sure each of them is.
//
// Numbers of one unit -> figures of the same unit. Invariants:
// 1. No function changes its input or needs it sorted; the order of the input does not change the
//    answer, except bootstrap's (and there only by rounding).
// 2. What is random takes a seed: the same input and seed give the same answer on every machine and
//    standard library.
// 3. Not a number is never an input. Empty input is stated per function.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace farcast::fit {

struct Interval {
  double low = 0.0;
  double high = 0.0;
  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
};

// A parameter that was fitted, with how sure it is.
struct Estimate {
  double value = 0.0;
  double standard_error = 0.0;
  Interval interval; // two-sided, at the confidence that was asked for
};

// Requires: at least one value (all of these).
double mean(std::span<const double> values);
double median(std::span<const double> values);
// Linear between order statistics (Hyndman and Fan 1996, type 7). Requires: 0 <= percent <= 100.
double percentile(std::span<const double> values, double percent);
// Several at once: sorts only once. Returns: value[percent].
std::vector<double> percentiles(std::span<const double> values, std::span<const double> percents);
// Median absolute deviation from the median, times 1.4826: for normal noise it estimates the
// standard deviation, and up to half of the values may be nonsense.
double mad_scale(std::span<const double> values);
// Sample standard deviation (n - 1); 0 for one value.
double standard_deviation(std::span<const double> values);

// The mean, its standard error and Student's interval. Requires: a value. One value: an infinite
// interval.
Estimate mean_estimate(std::span<const double> values, double confidence = 0.95);

// Mean after the lowest and highest `share` of the values were pulled in to the values there, with
// the standard error of Tukey and McLaughlin (1963). Requires: a value, 0 <= share < 0.5. One
// value: an infinite interval.
Estimate winsorised_mean_estimate(std::span<const double> values, double share, double confidence = 0.95);

// The ratio of two positive means, of independent samples, with the error of both: on a logarithmic
// scale, so that the interval of the inverse is the inverse. `samples`: of the smaller one. A mean
// that is 0 or of one sample: {0, infinity}. Requires: below > 0.
Estimate ratio_estimate(const Estimate& above, const Estimate& below, std::size_t samples, double confidence = 0.95);

// The median and the interval between two order statistics that holds it with at least that
// confidence whatever the distribution (binomial); the standard error is that interval's half width
// over the normal quantile.
// Too few values for the confidence (5 or fewer at 0.95): smallest to largest value. Requires: a value.
Estimate median_estimate(std::span<const double> values, double confidence = 0.95);
// The same of any percentile; where an end of the interval would lie beyond the values it is the
// smallest or largest one.
// Requires: a value, 0 < percent < 100.
Estimate percentile_estimate(std::span<const double> values, double percent, double confidence = 0.95);

// Percentile bootstrap of any statistic. Requires: a value, resamples >= 100. O(resamples * (n +
// cost of the statistic)).
Estimate bootstrap_estimate(std::span<const double> values, const std::function<double(std::span<const double>)>& statistic,
                            double confidence = 0.95, std::size_t resamples = 2000, std::uint64_t seed = 1);

// Square of Pearson's correlation; 1 when both are constant, 0 when only one is. Requires: equal
// lengths, at least one.
double pearson_squared(std::span<const double> x, std::span<const double> y);

} // namespace farcast::fit
