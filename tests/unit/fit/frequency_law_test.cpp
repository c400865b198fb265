#include "calib/fit/frequency_law.h"

#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>

using namespace farcast::fit;
using Catch::Matchers::Contains;

namespace {

std::vector<FrequencySample> measure(double share, double noise, std::size_t repeats, std::uint64_t seed) {
  synthetic::Random random(seed);
  std::vector<FrequencySample> samples;
  for (const double ghz : {1.2, 1.6, 2.0, 2.3})
    for (std::size_t i = 0; i < repeats; ++i)
      samples.push_back({ghz * 1e9, 0.5 * (share * 2.3 / ghz + 1.0 - share) * (1.0 + noise * random.normal())});
  return samples;
}

} // namespace

TEST_CASE("the share of the time that the clock rules") {
  for (const double share : {0.0, 0.3, 1.0}) {
    const auto law = fit_frequency_law(measure(share, 0.0, 2, 1));
    REQUIRE(law);
    CHECK(law->clock_share.value == Approx(share).margin(1e-9));
    CHECK(law->seconds_at_max.value == Approx(0.5));
    CHECK(law->max_frequency_hz == 2.3e9);
    CHECK((*law)(2.3e9) == Approx(1.0));
    CHECK((*law)(1.15e9) == Approx(1.0 + share).margin(1e-9));
    CHECK(law->samples == 8);
  }
}

TEST_CASE("through noise and an interrupted run, inside its interval as often as it says") {
  int inside = 0, time_inside = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    auto samples = measure(0.6, 0.02, 8, seed);
    samples[seed % samples.size()].seconds *= 4.0;
    const auto law = fit_frequency_law(samples);
    REQUIRE(law);
    CHECK(law->clock_share.value == Approx(0.6).margin(0.08));
    inside += law->clock_share.interval.contains(0.6) ? 1 : 0;
    time_inside += law->seconds_at_max.interval.contains(0.5) ? 1 : 0;
  }
  CHECK(inside >= 460);
  CHECK(time_inside >= 460);
}

TEST_CASE("a share stays between 0 and 1") {
  const auto faster_when_slow = fit_frequency_law(std::vector<FrequencySample>{{1e9, 0.9}, {2e9, 1.0}, {3e9, 1.01}});
  REQUIRE(faster_when_slow);
  CHECK(faster_when_slow->clock_share.value == 0.0);
  CHECK((*faster_when_slow)(1e9) == 1.0);
  const auto steep = fit_frequency_law(std::vector<FrequencySample>{{1e9, 4.0}, {2e9, 1.9}, {3e9, 1.0}});
  REQUIRE(steep);
  CHECK(steep->clock_share.value == 1.0);
}

TEST_CASE("what a frequency law cannot work with is said") {
  const auto message = [](const std::vector<FrequencySample>& samples) {
    const auto law = fit_frequency_law(samples);
    return law ? std::string() : law.error().message;
  };
  CHECK_THAT(message({{1e9, 1.0}, {2e9, 0.5}}), Contains("2 samples are too few"));
  CHECK_THAT(message({{1e9, 1.0}, {1e9, 0.5}, {1e9, 1.0}}), Contains("one frequency"));
  CHECK_THAT(message({{1e9, 1.0}, {0.0, 0.5}, {1e9, 1.0}}), Contains("sample 2 took 0.5 seconds at 0 Hz"));
  CHECK_THAT(message({{1e9, 1.0}, {2e9, 0.0}, {1e9, 1.0}}), Contains("sample 2 took 0 seconds"));
}
