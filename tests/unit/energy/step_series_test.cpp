#include "predictor/energy/step_series.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

using namespace farcast::energy;

namespace {

bool same(const std::vector<Step>& found, const std::vector<Step>& expected) {
  return std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                    [](const Step& a, const Step& b) { return a.begin == Approx(b.begin) && a.value == Approx(b.value); });
}

} // namespace

TEST_CASE("few changes: steps where they are, in whatever order they come") {
  StepSeries series(100);
  series.add(3, -20);
  series.add(0, 50);
  series.add(1, 20);
  series.add(2, 5);
  series.add(2, -5);
  series.add(9, 1); // at the end
  CHECK(same(series.steps(9), {{0, 50}, {1, 70}, {3, 50}}));
  CHECK(integral_of(series.steps(9), 9) == Approx(50 * 9 + 20 * 2));
  CHECK(same(series.steps(0.5), {{0, 50}}));
  CHECK(series.steps(0).empty());
  CHECK(same(StepSeries(4).steps(2), {{0, 0}}));
}

TEST_CASE("any number of changes at few instants stays exact") {
  StepSeries series(4);
  for (int i = 0; i < 1000; ++i) {
    series.add(0, 1);
    series.add(2, 1);
    series.add(5, -2);
  }
  CHECK(same(series.steps(6), {{0, 1000}, {2, 2000}, {5, 0}}));
}

TEST_CASE("a change that never comes is left out, with and without slices") {
  StepSeries series(4);
  for (int i = 0; i < 100; ++i) {
    series.add(i, 1);
    series.add(std::numeric_limits<double>::infinity(), -1);
  }
  CHECK(integral_of(series.steps(100), 100) == Approx(100 * 101 / 2));
}

TEST_CASE("many changes: slices of equal length, each with its mean") {
  StepSeries series(4);
  series.add(0, 10);
  for (int i = 0; i < 8; ++i) series.add(0.25 + i, i % 2 == 0 ? 4 : -4); // 14 for a second from 0.25, 2.25, ... on
  const auto until = [](double time) {                                   // the integral
    const double rounds = std::floor(time / 2);
    return 10 * time + 4 * (rounds + std::clamp(time - 2 * rounds - 0.25, 0.0, 1.0));
  };
  const std::vector<Step> steps = series.steps(8);
  REQUIRE(steps.size() > 1);
  REQUIRE(steps.size() <= 4);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double end = i + 1 < steps.size() ? steps[i + 1].begin : 8;
    CHECK(steps[i].begin == Approx(static_cast<double>(i) * steps[1].begin));
    CHECK(steps[i].value == Approx((until(end) - until(steps[i].begin)) / (end - steps[i].begin)));
  }
}

TEST_CASE("the integral is kept, however many changes there are and wherever the end is") {
  const std::size_t most = GENERATE(2U, 7U, 64U, 1000U, 100000U);
  const double end = GENERATE(0.37, 10.0, 1234.5);
  std::mt19937_64 random(most);
  std::uniform_real_distribution<double> uniform(0, 1);
  StepSeries series(most);
  double expected = 100 * end, time = 0;
  series.add(0, 100);
  for (int i = 0; i < 20000; ++i) {
    time += uniform(random) * 2 * end / 20000 * (i < 10000 ? 0.01 : 1);
    if (time >= end) break;
    const double busy = 10 * uniform(random), until = std::min(end, time + 0.3 * end * uniform(random));
    series.add(time, busy);
    series.add(until, -busy);
    expected += busy * (until - time);
  }
  const std::vector<Step> steps = series.steps(end);
  CHECK(steps.size() <= most);
  CHECK(steps.front().begin == 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(steps[i].value >= 100 * (1 - 1e-9));
    if (i > 0) CHECK(steps[i].begin > steps[i - 1].begin);
  }
  CHECK(steps.back().begin < end);
  CHECK(integral_of(steps, end) == Approx(expected).epsilon(1e-10));
}
