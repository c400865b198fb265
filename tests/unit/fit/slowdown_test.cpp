#include "calib/fit/slowdown.h"

#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>

using namespace farcast::fit;
using Catch::Matchers::Contains;

namespace {

// 100 visits of 1 ms times factor[co-runners - 1], with 5 % noise and two interrupted visits with
// each number of co-runners.
std::vector<CorunnerSample> visits(const std::vector<double>& factor, double noise = 0.05, std::uint64_t seed = 1) {
  synthetic::Random random(seed);
  std::vector<CorunnerSample> samples;
  for (std::size_t k = 0; k < factor.size(); ++k)
    for (int i = 0; i < 100; ++i) {
      const double interrupted = i % 50 == 13 ? 30.0 : 1.0;
      samples.push_back({static_cast<int>(k) + 1, 1e-3 * factor[k] * interrupted * (1.0 + noise * random.normal())});
    }
  return samples;
}

} // namespace

TEST_CASE("a region that suffers from co-runners") {
  const auto curve = fit_slowdown(visits({1.0, 1.1, 1.4, 2.0}));
  REQUIRE(curve);
  CHECK(curve->shape == SlowdownShape::rising);
  REQUIRE(curve->points.size() == 4);
  CHECK(curve->points[0].slowdown.value == 1.0);
  CHECK(curve->points[3].slowdown.value == Approx(2.0).epsilon(0.03));
  CHECK(curve->points[3].slowdown.interval.contains(2.0));
  CHECK(curve->points[2].samples == 100);
  CHECK(curve->points[2].spread == Approx(0.05).epsilon(0.3));
  CHECK(curve->points[2].seconds.value == Approx(1.4e-3).epsilon(0.03)); // two interrupted visits in a hundred move nothing
  CHECK((*curve)(1.0) == 1.0);
  CHECK((*curve)(0.5) == 1.0);
  CHECK((*curve)(3.5) == Approx(0.5 * (curve->points[2].slowdown.value + curve->points[3].slowdown.value)));
  CHECK((*curve)(9.0) == curve->points[3].slowdown.value); // nothing is extrapolated
  CHECK(curve->simgrid_ratio(4.0) == Approx(0.5).epsilon(0.03));
}

TEST_CASE("a region that does not care stays within its noise of 1, and rises") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto curve = fit_slowdown(visits({1, 1, 1, 1, 1, 1}, 0.1, seed), 0.999);
    REQUIRE(curve);
    CHECK(curve->shape != SlowdownShape::free);
    for (std::size_t k = 1; k < curve->points.size(); ++k) {
      CHECK(curve->points[k].slowdown.value == Approx(1.0).epsilon(0.05));
      if (curve->shape == SlowdownShape::rising) CHECK(curve->points[k].slowdown.value >= curve->points[k - 1].slowdown.value);
    }
  }
}

TEST_CASE("a region that is cheaper beside co-runners, and one that is both") {
  const auto falling = fit_slowdown(visits({1.0, 0.9, 0.85}));
  REQUIRE(falling);
  CHECK(falling->shape == SlowdownShape::falling);
  CHECK(falling->points[2].slowdown.value == Approx(0.85).epsilon(0.03));
  CHECK(falling->simgrid_ratio(3) == Approx(1 / 0.85).epsilon(0.03));
  const auto both = fit_slowdown(visits({1.0, 0.8, 1.5}));
  REQUIRE(both);
  CHECK(both->shape == SlowdownShape::free);
  CHECK(both->points[1].slowdown.value == both->points[1].measured);
  CHECK(both->points[1].slowdown.value == Approx(0.8).epsilon(0.03));
}

TEST_CASE("visits that are long on purpose count") { // four of five take 1 us, one takes 10 us, twice that with co-runners
  std::vector<CorunnerSample> samples;
  for (int i = 0; i < 500; ++i) {
    const double work = i % 5 == 0 ? 10e-6 : 1e-6;
    samples.push_back({1, work});
    samples.push_back({2, i % 5 == 0 ? 2 * work : work});
  }
  const auto curve = fit_slowdown(samples);
  REQUIRE(curve);
  CHECK(curve->points[1].slowdown.value == Approx(24.0 / 14.0).epsilon(0.01)); // the median would say 1
}

TEST_CASE("the interval of the ratio holds the truth as often as it says") {
  int covered = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    synthetic::Random random(seed);
    std::vector<CorunnerSample> samples;
    for (int i = 0; i < 30; ++i) {
      samples.push_back({1, 1e-3 * (1.0 + 0.1 * random.normal())});
      samples.push_back({2, 1.3e-3 * (1.0 + 0.1 * random.normal())});
    }
    const auto curve = fit_slowdown(samples);
    REQUIRE(curve);
    covered += curve->points[1].slowdown.interval.contains(1.3) ? 1 : 0;
  }
  CHECK(covered >= 930);
  CHECK(covered <= 975);
}

TEST_CASE("one visit each: a ratio, and no idea how sure it is") {
  const auto curve = fit_slowdown(std::vector<CorunnerSample>{{1, 2e-3}, {4, 3e-3}});
  REQUIRE(curve);
  CHECK((*curve)(4) == Approx(1.5));
  CHECK((*curve)(2) == Approx(1.0 + 0.5 / 3.0));
  CHECK(std::isinf(curve->points[1].slowdown.interval.high));
}

TEST_CASE("what a slowdown curve cannot work with is said") {
  const auto message = [](const std::vector<CorunnerSample>& samples) {
    const auto curve = fit_slowdown(samples);
    return curve ? std::string() : curve.error().message;
  };
  CHECK_THAT(message({}), Contains("no sample of the region alone"));
  CHECK_THAT(message({{2, 1.0}}), Contains("no sample of the region alone"));
  CHECK_THAT(message({{1, 1.0}, {0, 1.0}}), Contains("sample 2 has 0 co-runners"));
  CHECK_THAT(message({{1, -1.0}}), Contains("sample 1 took -1 seconds"));
  CHECK_THAT(message({{1, 0.0}, {2, 1.0}}), Contains("took no time"));
}
