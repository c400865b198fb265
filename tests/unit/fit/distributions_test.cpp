#include "calib/fit/distributions.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace farcast::fit;

TEST_CASE("quantiles as the tables print them") {
  CHECK(normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-12));
  CHECK(normal_quantile(0.999) == Approx(3.090232306167813).epsilon(1e-12));
  CHECK(normal_quantile(1e-10) == Approx(-6.361340902404056).epsilon(1e-10));
  CHECK(normal_quantile(0.5) == 0.0);
  CHECK(student_quantile(0.975, 1) == Approx(12.706204736).epsilon(1e-9));
  CHECK(student_quantile(0.975, 10) == Approx(2.228138852).epsilon(1e-9));
  CHECK(student_quantile(0.995, 30) == Approx(2.749995654).epsilon(1e-9));
  CHECK(student_quantile(0.025, 10) == Approx(-2.228138852).epsilon(1e-9));
  CHECK(student_quantile(0.975, 1e7) == Approx(1.959964).epsilon(1e-5));
  CHECK(two_sided_factor(0.95, 10) == Approx(2.228138852).epsilon(1e-9));
  CHECK(std::isinf(two_sided_factor(0.95, 0)));
}

TEST_CASE("binomial tails in closed form") {
  CHECK(binomial_below(3, 10, 0.5) == Approx(176.0 / 1024.0).epsilon(1e-12));
  CHECK(binomial_below(0, 5, 0.5) == Approx(1.0 / 32.0).epsilon(1e-12));
  CHECK(binomial_below(5, 5, 0.5) == 1.0);
}
