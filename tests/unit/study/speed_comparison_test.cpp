#include "calib/study/speed_comparison.h"

#include "tests/unit/study/synthetic_speed.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace farcast;
using namespace farcast::study;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr int kCases = 500;

SpeedComparison compared(const test::SpeedTruth& here, const test::SpeedTruth& there, std::uint64_t seed, Corunners corunners) {
  const SpeedRecord a = test::speed_record(here, 2 * seed), b = test::speed_record(there, 2 * seed + 1);
  const auto result = compare_kernels(times_of(a, corunners), times_of(b, corunners));
  REQUIRE(result);
  return *result;
}

fit::Estimate estimate(double value, double error) { return {value, error, {value - 2 * error, value + 2 * error}}; }

} // namespace

TEST_CASE("R_P of kernels, of what bounds them and of all comes back exactly without noise") {
  test::SpeedTruth here, there;
  here.noise = there.noise = here.late = there.late = 0.0;
  here.compute = 2.0;
  here.memory = 0.5;
  here.latency = 1.25;
  here.full = 0.8;
  const SpeedComparison alone = compared(here, there, 1, Corunners::alone);
  REQUIRE(alone.items.size() == 4);
  CHECK(alone.items[0].name == "multiply-add");
  CHECK(alone.items[1].name == "matrix 54 KiB");
  CHECK(alone.items[1].power.value == Approx(2.0));
  CHECK(alone.items[2].power.value == Approx(0.5));
  REQUIRE(alone.groups.size() == 3);
  CHECK(alone.groups[0].name == "compute");
  CHECK(alone.groups[0].power.value == Approx(2.0)); // two kernels, one group
  CHECK(alone.overall.value == Approx(std::cbrt(2.0 * 0.5 * 1.25)));
  CHECK(alone.lowest == Approx(0.5));
  CHECK(alone.highest == Approx(2.0));
  CHECK(alone.left_out == 0);
  CHECK(compared(here, there, 1, Corunners::full).overall.value == Approx(0.8 * std::cbrt(2.0 * 0.5 * 1.25)));
}

TEST_CASE("R_P lies inside its interval as often as it says, through noise and late runs") {
  test::SpeedTruth here, there;
  here.compute = 1.7;
  here.memory = 0.6;
  here.noise = there.noise = 0.02;
  here.late = 0.15;
  int overall = 0, single = 0, narrow = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const SpeedComparison result = compared(here, there, seed, Corunners::full);
    overall += result.overall.interval.contains(std::cbrt(1.7 * 0.6)) ? 1 : 0;
    single += result.items[2].power.interval.contains(0.6) ? 1 : 0;
    CHECK(result.overall.value == Approx(std::cbrt(1.7 * 0.6)).epsilon(0.03));
    narrow += result.overall.interval.high < 1.15 * result.overall.interval.low ? 1 : 0;
  }
  CHECK(overall >= 0.95 * kCases);
  CHECK(single >= 0.95 * kCases);
  CHECK(narrow >= 0.95 * kCases); // it says something
}

TEST_CASE("R_P lies inside its interval although all kernels are late together now and then") {
  test::SpeedTruth here, there;
  here.compute = 1.7;
  here.busy = 0.5;
  there.busy = 0.2;
  here.repetitions = 25;
  int inside = 0, narrow = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const SpeedComparison result = compared(here, there, seed, Corunners::alone);
    inside += result.overall.interval.contains(std::cbrt(1.7)) ? 1 : 0;
    narrow += result.overall.interval.high < 1.2 * result.overall.interval.low ? 1 : 0;
  }
  CHECK(inside >= 0.95 * kCases);
  CHECK(narrow >= 0.9 * kCases);
}

TEST_CASE("against the other node is the inverse, the interval too") {
  test::SpeedTruth here, there;
  here.compute = 1.7;
  const SpeedRecord a = test::speed_record(here, 5), b = test::speed_record(there, 6);
  const auto one = compare_kernels(times_of(a, Corunners::alone), times_of(b, Corunners::alone));
  const auto other = compare_kernels(times_of(b, Corunners::alone), times_of(a, Corunners::alone));
  REQUIRE(one);
  REQUIRE(other);
  const fit::Estimate back = inverse(other->overall);
  CHECK(back.value == Approx(one->overall.value));
  CHECK(back.interval.low == Approx(one->overall.interval.low));
  CHECK(back.interval.high == Approx(one->overall.interval.high));
}

TEST_CASE("what only one node has is left out, and nothing in common is an error") {
  const SpeedRecord a = test::speed_record({}, 1);
  SpeedRecord b = test::speed_record({}, 2);
  std::erase_if(b.measurements, [](const SpeedMeasurement& m) { return m.kernel == "triad"; });
  const auto part = compare_kernels(times_of(a, Corunners::alone), times_of(b, Corunners::alone));
  REQUIRE(part);
  CHECK(part->items.size() == 3);
  CHECK(part->left_out == 1);
  b.measurements.clear();
  const auto none = compare_kernels(times_of(a, Corunners::alone), times_of(b, Corunners::alone));
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, Contains("nothing that was measured on both"));
}

TEST_CASE("one run each gives a value without an interval") {
  test::SpeedTruth once;
  once.repetitions = 1;
  const SpeedComparison result = compared(once, {}, 1, Corunners::alone);
  CHECK(std::isfinite(result.overall.value));
  CHECK(result.overall.interval.low == 0.0);
  CHECK_THAT(power_text(result.overall), Contains("interval unknown"));
  CHECK(power_text(estimate(1.5, 0.05)) == "1.5 (1.4 to 1.6)");
}

TEST_CASE("records of several frequencies are compared at the highest") {
  test::SpeedTruth here, there;
  here.noise = there.noise = here.late = there.late = 0.0;
  here.compute = here.memory = here.latency = 3.0;
  here.frequencies = {1.2e9, 1.8e9, 2.4e9};
  CHECK(compared(here, there, 1, Corunners::alone).overall.value == Approx(3.0));
}

TEST_CASE("kernels of another version do other work") {
  const SpeedRecord a = test::speed_record({}, 1);
  SpeedRecord b = a;
  b.kernels = "1, another compiler";
  CHECK(check_comparable(a, "a.json", b, "b.json"));
  b.kernels = "2, a compiler";
  const auto other = check_comparable(a, "a.json", b, "b.json");
  REQUIRE_FALSE(other);
  CHECK_THAT(other.error().message, StartsWith("b.json: found kernels of version 2, expected 1 as in a.json"));
}

TEST_CASE("R_P of a program is that of its whole time, inside its interval as often as it says") {
  constexpr double kQuick = 1.0, kLong = 9.0, kError = 0.02; // seconds here; there twice and half as long
  int inside = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    synthetic::Random random(seed);
    const auto part = [&](const char* key, double exact) {
      return Timed{key, key, "", estimate(exact * (1.0 + kError * random.normal()), kError * exact), 30};
    };
    const std::vector<Timed> here{part("a", kQuick), part("b", kLong), part("c", 1)},
        there{part("b", kLong / 2), part("a", kQuick * 2)};
    const auto result = compare_parts(here, there);
    REQUIRE(result);
    CHECK(result->left_out == 1);
    CHECK(result->items[0].power.value == Approx(2.0).epsilon(0.15));
    inside += result->overall.interval.contains((2 * kQuick + kLong / 2) / (kQuick + kLong)) ? 1 : 0;
  }
  CHECK(inside >= 0.93 * kCases);
  CHECK(inside <= 0.995 * kCases);
}

TEST_CASE("the share of the clock comes back from records of kernels") {
  test::SpeedTruth truth;
  truth.frequencies = {1.2e9, 1.8e9, 2.4e9};
  truth.noise = 0.02;
  int inside = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto laws = frequency_laws(test::speed_record(truth, seed));
    REQUIRE(laws.size() == 8);
    CHECK(laws[0].law.max_frequency_hz == 2.4e9);
    CHECK(laws[0].law.clock_share.value == Approx(0.8).margin(0.1));
    inside += laws[0].law.clock_share.interval.contains(0.8) ? 1 : 0;
    inside += laws[4].law.clock_share.interval.contains(0.2) ? 1 : 0;
  }
  CHECK(inside >= 0.92 * 400);
  truth.frequencies = {1.2e9, 2.4e9};
  CHECK(frequency_laws(test::speed_record(truth, 1)).empty()); // two points are no law
  CHECK(law_table(test::speed_record(truth, 1)).empty());
}

TEST_CASE("the share of the clock comes back from medians of few runs") {
  for (const double share : {0.1, 0.6, 0.9}) {
    int inside = 0;
    for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
      synthetic::Random random(seed);
      std::vector<TimeAt> times;
      for (const double hz : {1.2e9, 1.6e9, 2.0e9, 2.4e9}) {
        const double exact = 3.0 * (share * 2.4e9 / hz + 1.0 - share), error = 0.01 * exact;
        times.push_back({hz, estimate(exact + error * random.normal(), error)});
      }
      const auto law = law_of(times);
      REQUIRE(law);
      CHECK(law->clock_share.value == Approx(share).margin(0.15));
      inside += law->clock_share.interval.contains(share) ? 1 : 0;
    }
    CHECK(inside >= 0.93 * kCases);
  }
  const std::vector<TimeAt> exact{{1e9, {2.0, INFINITY, {}}}, {2e9, {1.25, INFINITY, {}}}, {4e9, {0.875, 0.0, {}}}}; // b = 3 / 7
  const auto law = law_of(exact);
  REQUIRE(law);
  CHECK(law->clock_share.value == Approx(3.0 / 7.0));
  const std::vector<FrequencyUse> uses{{"a region", *law}};
  CHECK_THAT(use_table(uses, {1e9, 4e9}), Contains("a region") && Contains("0.429") && Contains("0.43") && Contains("1.000"));
}
