#include "calib/fit/distributions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace farcast::fit {

namespace {

constexpr int kTerms = 2000;
constexpr double kTiny = 1e-300;

// Lentz's evaluation of the continued fraction of I_x(a, b); converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  const auto away_from_zero = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1.0;
  double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = d;
  for (int m = 1; m < kTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
    d = 1.0 / away_from_zero(1.0 + even * d);
    c = away_from_zero(1.0 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
    d = 1.0 / away_from_zero(1.0 + odd * d);
    c = away_from_zero(1.0 + odd / c);
    const double step = c * d;
    fraction *= step;
    if (std::fabs(step - 1.0) < 1e-15) break;
  }
  return fraction;
}

// Bisection on an increasing function, after doubling the upper end until it is above the target.
template <class Function> double invert(const Function& increasing, double target, double low, double high) {
  while (increasing(high) < target && high < 1e300) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 200 && high - low > 1e-14 * std::fabs(high); ++i) {
    const double middle = 0.5 * (low + high);
    (increasing(middle) < target ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

} // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(a, b, x) / a;
  return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double incomplete_gamma(double a, double x) {
  if (x <= 0.0) return 0.0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1.0) { // series
    double term = 1.0 / a, sum = term;
    for (int n = 1; n < kTerms && term > 1e-17 * sum; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return front * sum;
  }
  // Lentz's evaluation of the continued fraction of the upper function
  double b = x + 1.0 - a, c = 1.0 / kTiny, d = 1.0 / b, fraction = d;
  for (int n = 1; n < kTerms; ++n) {
    const double numerator = -n * (n - a);
    b += 2.0;
    d = 1.0 / (numerator * d + b);
    c = b + numerator / c;
    const double step = c * d;
    fraction *= step;
    if (std::fabs(step - 1.0) < 1e-15) break;
  }
  return 1.0 - front * fraction;
}

double normal_quantile(double probability) {
  if (probability == 0.5) return 0.0;
  if (probability > 0.5) return -normal_quantile(1.0 - probability);
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  double x = -std::sqrt(-2.0 * std::log(probability)) * 0.8; // then Newton; the logarithm keeps far tails from overshooting
  for (int i = 0; i < 100; ++i) {
    const double p = below(x);
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    const double step = (std::log(p) - std::log(probability)) * p / density;
    x -= step;
    if (std::fabs(step) < 1e-14 * (1.0 + std::fabs(x))) break;
  }
  return x;
}

double student_quantile(double probability, double degrees_of_freedom) {
  if (probability == 0.5) return 0.0;
  if (probability < 0.5) return -student_quantile(1.0 - probability, degrees_of_freedom);
  const double v = degrees_of_freedom;
  const auto below = [v](double t) { return 1.0 - 0.5 * incomplete_beta(0.5 * v, 0.5, v / (v + t * t)); };
  const double log_peak = std::lgamma(0.5 * (v + 1.0)) - std::lgamma(0.5 * v) - 0.5 * std::log(v * std::numbers::pi);
  const double z = normal_quantile(probability);
  double t =
      z + (z * z * z + z) / (4.0 * v); // Cornish and Fisher; then Newton, which needs few steps unless the tails are very long
  for (int i = 0; i < 8 && v > 3.0; ++i) {
    const double density = std::exp(log_peak - 0.5 * (v + 1.0) * std::log1p(t * t / v));
    const double step = (below(t) - probability) / density;
    t -= step;
    if (std::fabs(step) < 1e-12 * t) return t;
  }
  return invert(below, probability, 0.0, 4.0);
}

double two_sided_factor(double confidence, double degrees_of_freedom) {
  if (degrees_of_freedom <= 0.0) return std::numeric_limits<double>::infinity();
  return student_quantile(0.5 + 0.5 * confidence, degrees_of_freedom);
}

double chi_squared_quantile(double probability, double degrees_of_freedom) {
  const auto below = [degrees_of_freedom](double x) { return incomplete_gamma(0.5 * degrees_of_freedom, 0.5 * x); };
  return invert(below, probability, 0.0, degrees_of_freedom + 4.0);
}

double binomial_below(std::size_t successes, std::size_t trials, double p) {
  if (successes >= trials) return 1.0;
  const auto k = static_cast<double>(successes), n = static_cast<double>(trials);
  return incomplete_beta(n - k, k + 1.0, 1.0 - p);
}

} // namespace farcast::fit
