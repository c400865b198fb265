// Quantiles of the distributions behind confidence intervals: normal, Student's t, and binomial tails.
//
// Boost.Math behind few words of our own, which keep its headers out of every file. Threads: pure
// functions.
#pragma once

#include <cstddef>

namespace farcast::fit {

// Requires: 0 < probability < 1.
double normal_quantile(double probability);
// Requires: 0 < probability < 1, degrees of freedom > 0 (fractional ones are fine).
double student_quantile(double probability, double degrees_of_freedom);
// Half width of a two-sided interval in standard errors. Infinite without degrees of freedom.
double two_sided_factor(double confidence, double degrees_of_freedom);
// Probability of at most `successes` in `trials` with 0 < p < 1.
double binomial_below(std::size_t successes, std::size_t trials, double p);

} // namespace farcast::fit
