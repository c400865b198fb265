#include "calib/fit/linear.h"

#include "tests/unit/fit/synthetic.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

using namespace farcast::fit;
using Catch::Matchers::Contains;

namespace {

Matrix rows(const std::vector<std::vector<double>>& values) {
  Matrix matrix(values.size(), values.front().size());
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    for (std::size_t column = 0; column < matrix.columns(); ++column) matrix(row, column) = values[row][column];
  return matrix;
}

double squares_left(const Matrix& regressors, const std::vector<double>& observed, const std::vector<double>& coefficients) {
  double sum = 0.0;
  for (std::size_t row = 0; row < regressors.rows(); ++row) {
    double rest = observed[row];
    for (std::size_t column = 0; column < regressors.columns(); ++column) rest -= regressors(row, column) * coefficients[column];
    sum += rest * rest;
  }
  return sum;
}

std::vector<double> values_of(const LinearFit& fit) {
  std::vector<double> values;
  for (const Estimate& one : fit.coefficient) values.push_back(one.value);
  return values;
}

} // namespace

TEST_CASE("Anscombe's first set") {
  const std::vector<double> x{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
  const std::vector<double> y{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  Matrix regressors(x.size(), 2);
  for (std::size_t i = 0; i < x.size(); ++i) {
    regressors(i, 0) = 1.0;
    regressors(i, 1) = x[i];
  }
  const auto fit = fit_linear(regressors, y);
  REQUIRE(fit);
  CHECK(fit->coefficient[0].value == Approx(3.0000909).epsilon(1e-7));
  CHECK(fit->coefficient[1].value == Approx(0.5000909).epsilon(1e-6));
  CHECK(fit->coefficient[0].standard_error == Approx(1.1247468).epsilon(1e-7));
  CHECK(fit->coefficient[1].standard_error == Approx(0.1179055).epsilon(1e-6));
  CHECK(fit->r_squared == Approx(0.6665425).epsilon(1e-6));
  CHECK(fit->residual_scale == Approx(1.2366033).epsilon(1e-6));
  CHECK(fit->coefficient[1].interval.high == Approx(0.5000909 + 2.262157163 * 0.1179055).epsilon(1e-6));
  CHECK(fit->covariance(0, 1) == Approx(-9.0 * 0.1179055 * 0.1179055).epsilon(1e-5)); // -mean(x) var(slope)
  CHECK((*fit)(std::vector<double>{1.0, 10.0}) == Approx(8.001).epsilon(1e-4));
}

TEST_CASE("weights count as repetitions") {
  const Matrix once = rows({{1, 1}, {1, 2}, {1, 3}, {1, 5}}),
               repeated = rows({{1, 1}, {1, 1}, {1, 1}, {1, 2}, {1, 3}, {1, 5}, {1, 5}});
  const auto weighted = fit_linear(once, std::vector<double>{2, 3, 5, 4}, std::vector<double>{3, 1, 1, 2});
  const auto plain = fit_linear(repeated, std::vector<double>{2, 2, 2, 3, 5, 4, 4});
  REQUIRE(weighted);
  REQUIRE(plain);
  for (std::size_t i = 0; i < 2; ++i) CHECK(weighted->coefficient[i].value == Approx(plain->coefficient[i].value).epsilon(1e-12));
  CHECK(weighted->r_squared == Approx(plain->r_squared).epsilon(1e-12));
}

TEST_CASE("columns of very different size lose no digits") {
  Matrix regressors(50, 3);
  std::vector<double> observed;
  for (std::size_t i = 0; i < 50; ++i) {
    const double bytes = 1e9 + 1e6 * static_cast<double>(i * i);
    regressors(i, 0) = 1.0;
    regressors(i, 1) = bytes;
    regressors(i, 2) = 1e-9 * static_cast<double>(i % 7);
    observed.push_back(3e-6 + 2e-10 * bytes + 5.0 * regressors(i, 2));
  }
  const auto fit = fit_linear(regressors, observed);
  REQUIRE(fit);
  CHECK(fit->coefficient[0].value == Approx(3e-6).epsilon(1e-6));
  CHECK(fit->coefficient[1].value == Approx(2e-10).epsilon(1e-12));
  CHECK(fit->coefficient[2].value == Approx(5.0).epsilon(1e-5));
}

TEST_CASE("standard errors hold what they say") {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    synthetic::Random random(seed);
    Matrix regressors(12, 2);
    std::vector<double> observed, weights;
    for (std::size_t i = 0; i < 12; ++i) {
      regressors(i, 0) = 1.0;
      regressors(i, 1) = static_cast<double>(i);
      const double noise = 0.1 + 0.1 * static_cast<double>(i);
      observed.push_back(4.0 - 0.5 * static_cast<double>(i) + noise * random.normal());
      weights.push_back(1.0 / (noise * noise));
    }
    const auto fit = fit_linear(regressors, observed, weights);
    REQUIRE(fit);
    covered += fit->coefficient[1].interval.contains(-0.5) ? 1 : 0;
  }
  CHECK(covered == Approx(950).margin(21));
}

TEST_CASE("as many samples as coefficients fit exactly, with no idea how well") {
  const auto fit = fit_linear(rows({{1, 0}, {1, 2}}), std::vector<double>{1, 5});
  REQUIRE(fit);
  CHECK(fit->coefficient[0].value == Approx(1.0));
  CHECK(fit->coefficient[1].value == Approx(2.0));
  CHECK(std::isinf(fit->coefficient[1].standard_error));
}

TEST_CASE("what a regression cannot work with is said") {
  const auto message = [](const auto& fit) { return fit ? std::string() : fit.error().message; };
  CHECK_THAT(message(fit_linear(rows({{1, 2}}), std::vector<double>{1})), Contains("1 samples cannot determine 2"));
  CHECK_THAT(message(fit_linear(rows({{1, 2, 3}, {1, 3, 4}, {1, 7, 8}, {1, 1, 2}}), std::vector<double>{1, 2, 3, 4})),
             Contains("cannot be told from the others"));
  CHECK_THAT(message(fit_linear(rows({{1, 0}, {2, 0}, {3, 0}}), std::vector<double>{1, 2, 3})), Contains("coefficient 2 of 2"));
  CHECK_THAT(message(fit_linear(rows({{1}, {1}}), std::vector<double>{1, std::numeric_limits<double>::infinity()})),
             Contains("sample 2"));
  CHECK_THAT(message(fit_linear(rows({{1}, {1}}), std::vector<double>{1, 1}, std::vector<double>{1, 0})), Contains("sample 2"));
  CHECK_THAT(message(fit_linear(rows({{1}, {1}}), std::vector<double>{1})), Contains("belong together"));
}

TEST_CASE("non-negative least squares finds the best of all sets of columns") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    synthetic::Random random(seed);
    Matrix regressors(9, 4);
    std::vector<double> observed;
    for (std::size_t row = 0; row < 9; ++row) {
      for (std::size_t column = 0; column < 4; ++column) regressors(row, column) = random.normal();
      observed.push_back(random.normal());
    }
    const auto fit = fit_non_negative(regressors, observed);
    REQUIRE(fit);
    for (const Estimate& one : fit->coefficient) CHECK(one.value >= 0.0);
    double best = squares_left(regressors, observed, {0, 0, 0, 0}); // the oracle: every set of columns by itself
    for (unsigned set = 1; set < 16; ++set) {
      std::vector<std::size_t> chosen;
      for (std::size_t column = 0; column < 4; ++column)
        if ((set >> column & 1U) != 0) chosen.push_back(column);
      Matrix part(9, chosen.size());
      for (std::size_t row = 0; row < 9; ++row)
        for (std::size_t i = 0; i < chosen.size(); ++i) part(row, i) = regressors(row, chosen[i]);
      const auto free = fit_linear(part, observed);
      REQUIRE(free);
      const std::vector<double> values = values_of(*free);
      if (std::any_of(values.begin(), values.end(), [](double value) { return value < 0.0; })) continue;
      best = std::min(best, squares_left(part, observed, values));
    }
    CHECK(squares_left(regressors, observed, values_of(*fit)) == Approx(best).epsilon(1e-9));
  }
}

TEST_CASE("non-negative least squares: what is held at zero, and columns that depend on each other") {
  const auto held = fit_non_negative(rows({{1, 1}, {1, 2}, {1, 3}}), std::vector<double>{5, 4, 3});
  REQUIRE(held);
  CHECK(held->coefficient[0].value == Approx(4.0));
  CHECK(held->coefficient[1].value == 0.0);
  CHECK(held->coefficient[1].interval.high == 0.0);
  CHECK(held->coefficient[0].standard_error == Approx(1.0 / std::sqrt(3.0)));
  const auto twice = fit_non_negative(rows({{1, 2}, {2, 4}, {3, 6}}), std::vector<double>{2, 4, 6});
  REQUIRE(twice);
  CHECK(twice->coefficient[0].value + 2.0 * twice->coefficient[1].value == Approx(2.0));
}

TEST_CASE("folds are even, and a function of the seed") {
  const auto folds = make_folds(23, 5);
  for (std::size_t fold = 0; fold < 5; ++fold) CHECK(std::count(folds.begin(), folds.end(), fold) == (fold < 3 ? 5 : 4));
  CHECK(folds == make_folds(23, 5));
  CHECK(folds != make_folds(23, 5, 2));
}

TEST_CASE("cross-validation tells a right model from one that follows the noise") {
  synthetic::Random random(2);
  Matrix line(30, 2), wild(30, 10);
  std::vector<double> observed;
  for (std::size_t i = 0; i < 30; ++i) {
    const double x = static_cast<double>(i) / 30.0;
    for (std::size_t power = 0; power < 10; ++power) wild(i, power) = std::pow(x, static_cast<double>(power));
    line(i, 0) = 1.0;
    line(i, 1) = x;
    observed.push_back(1.0 + 2.0 * x + 0.1 * random.normal());
  }
  const CrossValidation right = cross_validate(line, observed), wrong = cross_validate(wild, observed);
  CHECK(right.samples == 30);
  CHECK(right.rms_error == Approx(0.1).epsilon(0.4));
  CHECK(right.mean_relative_error < 0.1);
  CHECK(wrong.rms_error > right.rms_error);
}

TEST_CASE("no sample is predicted by a model that has seen it") {
  const std::vector<std::size_t> folds{0, 1, 0, 2, 1, 2};
  const auto learner = [&](std::span<const std::size_t> training) -> std::optional<Predictor> {
    const std::vector<std::size_t> seen(training.begin(), training.end());
    if (std::find(seen.begin(), seen.end(), 3U) == seen.end()) return std::nullopt; // fold 2 cannot be learnt without sample 3
    return [seen](std::size_t sample) -> std::optional<double> {
      return std::find(seen.begin(), seen.end(), sample) == seen.end() ? 1.0 : -1.0;
    };
  };
  const auto predicted = cross_predict(folds, learner);
  CHECK(predicted == std::vector<std::optional<double>>{1.0, 1.0, 1.0, std::nullopt, 1.0, std::nullopt});
}
