#include "predictor/base/estimate.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

using namespace farcast::base;

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
