#include "predictor/base/difference.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace farcast::base;

namespace {

constexpr int kMembers = 39; // the 2nd and the 38th are the ends of the interval

// Members that are apart by so much of the logarithm, evenly.
std::vector<double> scattered(double figure, double by) {
  std::vector<double> out;
  out.reserve(kMembers);
  for (int i = 0; i < kMembers; ++i) out.push_back(figure * std::exp(by * (i - 19) / 18));
  return out;
}

std::vector<double> times(std::vector<double> values, const std::vector<double>& factors) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factors[i];
  return values;
}

} // namespace

TEST_CASE("what makes both figures as many times larger is in no difference") {
  std::vector<double> both;
  both.reserve(kMembers);
  for (int i = 0; i < kMembers; ++i) both.push_back(i % 3 == 0 ? 20.0 : 0.5);
  const auto same = interval_of_difference(2.0, times(scattered(2.0, 0), both), 8.0, times(scattered(8.0, 0), both));
  REQUIRE(same);
  CHECK(same->low == Approx(-6.0));
  CHECK(same->high == Approx(-6.0));
  const auto apart = interval_of_difference(2.0, times(scattered(2.0, 0.1), both), 8.0, times(scattered(8.0, 0), both));
  REQUIRE(apart);
  CHECK(apart->low == Approx(2.0 * std::exp(-0.1) - 8.0));
  CHECK(apart->high == Approx(2.0 * std::exp(0.1) - 8.0));
}

TEST_CASE("a ratio is as sure as its reciprocal, and no figure falls below 0 however much members scatter") {
  const std::vector<double> wide = scattered(1.0, 3.0), sure = scattered(4.0, 0);
  const auto down = interval_of_difference(1.0, wide, 4.0, sure), up = interval_of_difference(4.0, sure, 1.0, wide);
  REQUIRE(down);
  REQUIRE(up);
  CHECK(down->low > -4.0);
  CHECK((1 + down->low / 4.0) * (1 + up->high) == Approx(1.0));
  CHECK((1 + down->high / 4.0) * (1 + up->low) == Approx(1.0));
}

TEST_CASE("an interval of a difference holds it, and there is none where nobody knows") {
  const auto one_sided = interval_of_difference(3.0, scattered(9.0, 0), 2.0, scattered(2.0, 0));
  REQUIRE(one_sided); // members' mean is no figure: how far they are from it counts
  CHECK(one_sided->low == Approx(1.0));
  CHECK(one_sided->low <= 1.0);
  CHECK(one_sided->high >= 1.0);
  const std::vector<double> few(kFewestMembers - 1, 1.0), enough(kFewestMembers, 1.0);
  CHECK_FALSE(interval_of_difference(1.0, few, 1.0, few));
  CHECK_FALSE(interval_of_difference(1.0, enough, 1.0, few));
  CHECK(interval_of_difference(1.0, enough, 1.0, enough));
  CHECK_FALSE(interval_of_difference(0.0, enough, 1.0, enough));
  for (const double odd : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> members = enough;
    members[3] = odd;
    CHECK_FALSE(interval_of_difference(1.0, members, 1.0, enough));
    CHECK_FALSE(interval_of_difference(1.0, enough, 1.0, members));
  }
}
