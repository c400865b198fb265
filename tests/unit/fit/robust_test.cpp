#include "calib/fit/robust.h"

#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>

using namespace farcast::fit;

namespace {

struct Data {
  Matrix regressors{60, 2};
  std::vector<double> observed;
};

// 3 + 2 x over three decades, noise as a share or as such, every `far`-th sample ten times as large.
Data measure(std::uint64_t seed, double relative, double absolute, std::size_t far) {
  synthetic::Random random(seed);
  Data data;
  for (std::size_t i = 0; i < 60; ++i) {
    const double x = std::pow(10.0, static_cast<double>(i) / 20.0), exact = 3.0 + 2.0 * x;
    data.regressors(i, 0) = 1.0;
    data.regressors(i, 1) = x;
    data.observed.push_back(exact * (1.0 + relative * random.normal()) + absolute * random.normal());
    if (far > 0 && i % far == far / 2) data.observed.back() *= 10.0;
  }
  return data;
}

} // namespace

TEST_CASE("far-off samples do not move a robust fit") {
  const Data clean = measure(1, 0.03, 0.0, 0), spoilt = measure(1, 0.03, 0.0, 12);
  const auto plain = fit_linear(spoilt.regressors, spoilt.observed);
  const auto before = fit_robust(clean.regressors, clean.observed, ErrorMeasure::relative);
  const auto after = fit_robust(spoilt.regressors, spoilt.observed, ErrorMeasure::relative);
  REQUIRE(plain);
  REQUIRE(before);
  REQUIRE(after);
  CHECK(std::fabs(plain->coefficient[1].value - 2.0) > 0.5);
  CHECK(before->fit.coefficient[1].value == Approx(2.0).epsilon(0.02));
  CHECK(after->fit.coefficient[1].value == Approx(2.0).epsilon(0.03));
  CHECK(after->fit.coefficient[0].value == Approx(3.0).epsilon(0.1));
  CHECK(before->mean_error == Approx(0.03 * 0.798).epsilon(0.3)); // mean of |normal|
}

TEST_CASE("shares of the fitted value: large noise does not pull the fit down") {
  double sum = 0.0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Data data = measure(seed, 0.2, 0.0, 0);
    const auto fit = fit_robust(data.regressors, data.observed, ErrorMeasure::relative);
    REQUIRE(fit);
    sum += fit->fit.coefficient[1].value / 200.0;
  }
  CHECK(sum == Approx(2.0).epsilon(0.02)); // by measured values it would be 8 % less
}

TEST_CASE("absolute errors, and intervals that hold") {
  int inside = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Data data = measure(seed, 0.0, 0.5, 0);
    const auto fit = fit_robust(data.regressors, data.observed, ErrorMeasure::absolute);
    REQUIRE(fit);
    inside += fit->fit.coefficient[0].interval.contains(3.0) ? 1 : 0;
  }
  CHECK(inside == Approx(475).margin(25));
}

TEST_CASE("errors are those of the plain fit") {
  CHECK_FALSE(fit_robust(Matrix(1, 2), std::vector<double>{1.0}, ErrorMeasure::absolute));
}
