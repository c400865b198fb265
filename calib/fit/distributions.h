// Quantiles of the distributions behind confidence intervals: normal, Student's t, and binomial tails.
//
// Accuracy: 1e-9 relative or better, which is far below what any interval means. Threads: pure functions.
#pragma once

#include <cstddef>

namespace farcast::fit {

// Requires: 0 < probability < 1.
double normal_quantile(double probability);
// Requires: 0 < probability < 1, degrees of freedom > 0 (fractional ones are fine).
double student_quantile(double probability, double degrees_of_freedom);
// Half width of a two-sided interval in standard errors. Infinite without degrees of freedom.
double two_sided_factor(double confidence, double degrees_of_freedom);
// Upper quantile of chi-squared. Requires: 0 < probability < 1, degrees of freedom > 0.
double chi_squared_quantile(double probability, double degrees_of_freedom);
// Probability of at most `successes` in `trials` with 0 < p < 1.
double binomial_below(std::size_t successes, std::size_t trials, double p);

// Regularised incomplete beta function I_x(a, b). Requires: a, b > 0, 0 <= x <= 1.
double incomplete_beta(double a, double b, double x);
// Regularised lower incomplete gamma function P(a, x). Requires: a > 0, x >= 0.
double incomplete_gamma(double a, double x);

} // namespace farcast::fit
