// Sums of series with known noise, on programs of known structure: 1,000 seeded cases each.
#include "predictor/base/series_noise.h"

#include "predictor/base/normal_deviate.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

using namespace farcast::base;

namespace {

SeriesNoise noise_of_one(const std::vector<double>& series) {
  Memory memory;
  memory.add(series);
  return noise_of(series, memory.value());
}

constexpr std::size_t kCases = 1000;
constexpr double kNoise = 0.05; // of a duration, relative
constexpr double kWithin90 = 1.6448536269514722;

// Noise of variance 1 that remembers `memory` of the last one's; skewed where asked, as
// interruptions make it.
std::vector<double> noise(std::size_t length, double memory, bool skewed, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::exponential_distribution<double> late;
  const auto shock = [&] { return skewed ? late(random) - 1 : normal(random); };
  double state = normal(random);
  std::vector<double> out(length);
  for (double& one : out) {
    state = memory * state + std::sqrt(1 - memory * memory) * shock();
    one = state;
  }
  return out;
}

using Structure = std::function<double(double place, std::size_t i)>; // duration without noise; place: 0 to 1 of the run

struct Found {
  double coverage = 0; // share of cases whose interval holds the sum without noise
  double wide = 0;     // the median interval over the true one
};
Found found_for(std::size_t length, double memory, bool skewed, const Structure& structure) {
  std::size_t held = 0;
  std::vector<double> wide;
  for (std::size_t seed = 1; seed <= kCases; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<double> off = noise(length, memory, skewed, random);
    std::vector<double> series(length);
    double truth = 0, squares = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const double without = structure(static_cast<double>(i) / static_cast<double>(length), i);
      series[i] = without * (1 + kNoise * off[i]);
      truth += without;
      squares += without * without;
    }
    const SeriesNoise found = noise_of_one(series);
    const double half = kWithin90 * wider_than_normal(found.degrees) * found.of_sum;
    if (std::abs(std::accumulate(series.begin(), series.end(), 0.0) - truth) <= half) ++held;
    wide.push_back(half / (kWithin90 * kNoise * std::sqrt(squares * (1 + memory) / (1 - memory))));
  }
  std::nth_element(wide.begin(), wide.begin() + kCases / 2, wide.end());
  return {static_cast<double>(held) / kCases, wide[kCases / 2]};
}

double steady(double /*place*/, std::size_t /*i*/) { return 1; }

} // namespace

TEST_CASE("intervals of sums of known noise hold the truth in 88 to 92 % of 1,000 cases") {
  for (const double memory : {0.0, 0.3, 0.6}) {
    for (const bool skewed : {false, true}) {
      const Found found = found_for(512, memory, skewed, steady);
      INFO("memory " << memory << ", skewed " << skewed << ": " << found.coverage);
      CHECK(found.coverage >= 0.88);
      CHECK(found.coverage <= 0.92);
    }
  }
}

TEST_CASE("what the program does is no noise: the interval is hardly wider than that of the noise alone") {
  const std::array<std::pair<const char*, Structure>, 5> structures = {
      {{"shrinking sizes", [](double place, std::size_t) { return 3 * (1.1 - place) * (1.1 - place); }},
       {"a phase", [](double place, std::size_t) { return place < 0.45 ? 1.0 : 1.6; }},
       {"waves", [](double place, std::size_t) { return 1 + 0.5 * std::sin(9.4 * place); }},
       {"rounds of four sizes",
        [](double, std::size_t i) {
          return std::array{1.0, 0.25, 0.06, 0.3}.at(i % 4);
        }},
       {"rounds of eight that shrink", [](double place, std::size_t i) {
          return (2 - place) * std::array{1.0, 0.5, 0.2, 0.1, 0.05, 0.1, 0.2, 0.5}.at(i % 8);
        }}}};
  for (const auto& [name, structure] : structures) {
    const Found found = found_for(512, 0.0, false, structure);
    INFO(name << ": " << found.coverage << ", " << found.wide << " times as wide");
    CHECK(found.coverage >= 0.86);
    CHECK(found.wide <= 1.5);
  }
}

TEST_CASE("five rounds of many sizes, as of a multigrid's cycles, are told from noise") {
  const auto sizes = [](double, std::size_t i) {
    const std::size_t level = i % 28;
    return std::pow(0.25, static_cast<double>(std::min(level, 28 - level)) / 2);
  };
  const Found found = found_for(140, 0.0, false, sizes);
  INFO(found.coverage << ", " << found.wide << " times as wide");
  CHECK(found.coverage >= 0.86);
  CHECK(found.wide <= 1.5);
}

TEST_CASE("a series that does not vary, or only as a program does, has no noise; a short one says nothing") {
  CHECK(noise_of_one(std::vector<double>(100, 0.5)).of_sum == 0);
  CHECK(noise_of_one(std::vector<double>{1, 2, 3, 4, 5, 6, 7}).of_sum == 0);
  CHECK(noise_of_one({}).of_sum == 0);
  std::vector<double> rising(200);
  std::iota(rising.begin(), rising.end(), 10.0);
  CHECK(noise_of_one(rising).of_sum < 1e-9);
  CHECK(noise_of_one(std::vector<double>(100, 0.0)).of_sum == 0);
}

TEST_CASE("a single duration has no more noise than the sum says") {
  std::mt19937_64 random(3);
  std::vector<double> series = noise(400, 0.0, false, random);
  for (double& one : series) one = 1 + kNoise * one;
  const SeriesNoise independent = noise_of_one(series);
  CHECK(independent.of_one == Approx(kNoise).epsilon(0.2));
  CHECK(independent.of_sum == Approx(kNoise * 20).epsilon(0.3));
  series = noise(400, 0.6, false, random);
  for (double& one : series) one = 1 + kNoise * one;
  const SeriesNoise remembering = noise_of_one(series);
  CHECK(remembering.of_one == Approx(kNoise).epsilon(0.35));
  CHECK(remembering.of_sum > 1.4 * kNoise * 20);
}
