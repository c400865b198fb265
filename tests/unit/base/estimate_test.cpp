#include "predictor/base/estimate.h"

#include "predictor/base/block_resampling.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

using namespace farcast::base;

namespace {

constexpr std::size_t kMembers = 100;
constexpr std::size_t kCases = 1000;

// Durations around 1 whose noise remembers `memory` of the last one's; skewed where asked, as
// interruptions make it.
std::vector<double> noisy(std::size_t length, double memory, bool skewed, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0.0, 0.1);
  std::exponential_distribution<double> late(10.0);
  const auto shock = [&] { return skewed ? late(random) - 0.1 : normal(random); };
  double state = normal(random) / std::sqrt(1 - memory * memory);
  std::vector<double> out(length);
  for (double& duration : out) {
    state = memory * state + shock();
    duration = 1 + state;
  }
  return out;
}

// Returns: in what share of seeded cases the interval of the sum holds what the sum is in the mean.
double coverage(std::size_t length, double memory, bool skewed) {
  std::size_t held = 0;
  for (std::size_t seed = 1; seed <= kCases; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<double> series = noisy(length, memory, skewed, random);
    const double sum = std::accumulate(series.begin(), series.end(), 0.0);
    const Estimate estimate = estimate_of(sum, resampled_sums(series, block_length(series), kMembers, seed));
    const auto truth = static_cast<double>(length);
    if (estimate.ninety->low <= truth && truth <= estimate.ninety->high) ++held;
  }
  return static_cast<double>(held) / kCases;
}

} // namespace

TEST_CASE("intervals of sums of known noise hold the truth in 88 to 92 % of 1,000 cases") {
  for (const double memory : {0.0, 0.3, 0.6}) {
    for (const bool skewed : {false, true}) {
      const double found = coverage(1000, memory, skewed);
      INFO("memory " << memory << ", skewed " << skewed << ": " << found);
      CHECK(found >= 0.88);
      CHECK(found <= 0.92);
    }
  }
}

TEST_CASE("blocks of one duration would make correlated sums seem surer than they are") {
  std::size_t held = 0;
  for (std::size_t seed = 1; seed <= kCases; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<double> series = noisy(1000, 0.6, false, random);
    const double sum = std::accumulate(series.begin(), series.end(), 0.0);
    const Estimate estimate = estimate_of(sum, resampled_sums(series, 1, kMembers, seed));
    if (estimate.ninety->low <= 1000 && 1000 <= estimate.ninety->high) ++held;
  }
  CHECK(held < 700); // blocks of the right length hold 900
}

TEST_CASE("the length of blocks follows the autocorrelation") {
  std::mt19937_64 random(7);
  CHECK(block_length(noisy(1000, 0.0, false, random)) <= 4);
  const std::size_t some = block_length(noisy(4000, 0.5, false, random));
  const std::size_t much = block_length(noisy(4000, 0.9, false, random));
  CHECK(some >= 3);
  CHECK(much > 2 * some);
  CHECK(block_length(std::vector<double>(100, 2.0)) == 1);
  CHECK(block_length(std::vector<double>{1, 2, 3}) == 1);
  CHECK(block_length({}) == 1);
  std::vector<double> rising(100);
  std::iota(rising.begin(), rising.end(), 0.0);
  CHECK(block_length(rising) == 20); // not more than a fifth
}

TEST_CASE("an interval needs twenty members, lies around the value, and keeps the value as it is") {
  std::vector<double> members(19);
  std::iota(members.begin(), members.end(), 1.0);
  CHECK_FALSE(estimate_of(10.0, members).ninety);
  CHECK(estimate_of(10.0, members).samples == 19);
  std::shuffle(members.begin(), members.end(), std::mt19937_64(1));
  members.push_back(20.0); // 1 to 20: the 5 % point is at 21 * 0.05 = 1.05, the 95 % point at 19.95, the mean 10.5
  const Estimate estimate = estimate_of(100.0, members);
  REQUIRE(estimate.ninety);
  CHECK(estimate.value == 100.0);
  CHECK(estimate.samples == 20);
  CHECK(estimate.ninety->low == Approx(100.0 - 9.45));
  CHECK(estimate.ninety->high == Approx(100.0 + 9.45));
  const Estimate sure = estimate_of(3.0, std::vector<double>(30, 8.0));
  CHECK(sure.ninety->low == 3.0);
  CHECK(sure.ninety->high == 3.0);
}

TEST_CASE("draws are the same for the same seed, and a series that does not vary has no spread") {
  const std::vector<double> series{1, 3, 2, 5, 4, 1, 3, 2, 5, 4};
  CHECK(resampled_sums(series, 2, 5, 9) == resampled_sums(series, 2, 5, 9));
  CHECK(resampled_sums(series, 2, 5, 9) != resampled_sums(series, 2, 5, 10));
  for (const double sum : resampled_sums(std::vector<double>(10, 0.5), 3, 5, 1)) CHECK(sum == Approx(5.0));
  CHECK(resampled_sums(std::vector<double>{4.0}, 1, 3, 1) == std::vector<double>(3, 4.0));
}
