#include "calib/fit/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <limits>

namespace farcast::fit {

double normal_quantile(double probability) { return boost::math::quantile(boost::math::normal(), probability); }

double student_quantile(double probability, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), probability);
}

double two_sided_factor(double confidence, double degrees_of_freedom) {
  if (degrees_of_freedom <= 0.0) return std::numeric_limits<double>::infinity();
  return student_quantile(0.5 + 0.5 * confidence, degrees_of_freedom);
}

double binomial_below(std::size_t successes, std::size_t trials, double p) {
  if (successes >= trials) return 1.0;
  return boost::math::cdf(boost::math::binomial(static_cast<double>(trials), p), static_cast<double>(successes));
}

} // namespace farcast::fit
