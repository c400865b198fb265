#include "calib/fit/statistics.h"

#include "tests/unit/fit/synthetic.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace farcast::fit;

namespace {

std::vector<double> normals(std::uint64_t seed, std::size_t count, double centre, double scale) {
  synthetic::Random random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(centre + scale * random.normal());
  return values;
}

// In how many of 1,000 samples of 25 the interval holds the truth.
template <class Interval> int covered(const Interval& interval, double truth) {
  int hits = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) hits += interval(normals(seed, 25, truth, 2.0)).contains(truth) ? 1 : 0;
  return hits;
}

} // namespace

TEST_CASE("centre and spread of small samples") {
  const std::vector<double> values{7, 1, 5, 3, 100};
  CHECK(mean(values) == Approx(23.2));
  CHECK(median(values) == 5.0);
  CHECK(median(std::vector<double>{4, 1, 3, 2}) == 2.5);
  CHECK(mad_scale(values) == Approx(1.482602218505602 * 2.0));
  CHECK(standard_deviation(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}) == Approx(std::sqrt(32.0 / 7.0)));
  CHECK(standard_deviation(std::vector<double>{3}) == 0.0);
  CHECK(percentile(values, 0) == 1.0);
  CHECK(percentile(values, 100) == 100.0);
  CHECK(percentile(values, 25) == 3.0);
  CHECK(percentile(std::vector<double>{0, 10}, 95) == Approx(9.5));
  CHECK(percentiles(values, std::vector<double>{0, 50}) == std::vector<double>{1, 5});
  CHECK(percentile(std::vector<double>{3}, 95) == 3.0);
}

TEST_CASE("the mean with Student's interval") {
  const Estimate estimate = mean_estimate(std::vector<double>{1, 2, 3, 4, 5});
  CHECK(estimate.value == 3.0);
  CHECK(estimate.standard_error == Approx(std::sqrt(2.5 / 5)));
  CHECK(estimate.interval.high == Approx(3.0 + 2.776445105 * std::sqrt(0.5)));
  CHECK(std::isinf(mean_estimate(std::vector<double>{1}).interval.high));
  const Estimate constant = mean_estimate(std::vector<double>{2, 2, 2});
  CHECK(constant.interval.low == 2.0);
  CHECK(constant.interval.high == 2.0);
}

TEST_CASE("winsorising pulls in the ends, and the interval knows") {
  std::vector<double> values = normals(3, 100, 10.0, 1.0);
  values[17] = 1e6;
  CHECK(mean(values) > 1000.0);
  const Estimate estimate = winsorised_mean_estimate(values, 0.02);
  CHECK(estimate.interval.contains(10.0));
  CHECK(estimate.standard_error == Approx(0.1).epsilon(0.3));
  // by hand: 1 2 3 4 100 with a fifth pulled in is 2 2 3 4 4
  CHECK(winsorised_mean_estimate(std::vector<double>{100, 2, 3, 4, 1}, 0.2).value == 3.0);
}

TEST_CASE("the median's interval is between two order statistics") {
  std::vector<double> values;
  for (int i = 1; i <= 20; ++i) values.push_back(i);
  const Estimate estimate = median_estimate(values);
  CHECK(estimate.value == 10.5);
  CHECK(estimate.interval.low == 6.0); // P(X <= 5; 20, 1/2) = 0.0207 <= 0.025 < P(X <= 6)
  CHECK(estimate.interval.high == 15.0);
  const Estimate few = median_estimate(std::vector<double>{3, 1, 2});
  CHECK(few.interval.low == 1.0);
  CHECK(few.interval.high == 3.0);
}

TEST_CASE("so is that of another percentile") {
  std::vector<double> values;
  for (int i = 1; i <= 15; ++i) values.push_back(i);
  const Estimate quarter = percentile_estimate(values, 25.0);
  CHECK(quarter.value == 4.5);
  CHECK(quarter.interval.low == 1.0);  // P(X <= 0; 15, 1/4) = 0.0134 <= 0.025 < P(X <= 1)
  CHECK(quarter.interval.high == 8.0); // P(X >= 8) = 0.0173 <= 0.025 < P(X >= 7)
  const Estimate rest = percentile_estimate(values, 75.0);
  CHECK(rest.interval.low == 8.0);
  CHECK(rest.interval.high == 15.0);
  CHECK(percentile_estimate(std::vector<double>{2.0, 1.0}, 25.0).interval.high == 2.0);
  CHECK(std::isinf(percentile_estimate(std::vector<double>{2.0}, 25.0).standard_error));
}

TEST_CASE("intervals hold the truth as often as they say") {
  CHECK(covered([](const auto& values) { return mean_estimate(values).interval; }, 5.0) == Approx(950).margin(21));
  CHECK(covered([](const auto& values) { return winsorised_mean_estimate(values, 0.1).interval; }, 5.0) ==
        Approx(950).margin(25));
  CHECK(covered([](const auto& values) { return median_estimate(values).interval; }, 5.0) >= 935); // discrete: at least
  const auto quarter = [](const auto& values) {
    constexpr double kBelow =
        2.0 * 0.6744897501960817; // that the quartile is below the mean, with the deviation that covered() takes
    const Interval interval = percentile_estimate(values, 25.0).interval;
    return Interval{interval.low + kBelow, interval.high + kBelow};
  };
  CHECK(covered(quarter, 5.0) >= 935);
  const auto bootstrap = [](const auto& values) { return bootstrap_estimate(values, mean, 0.95, 200).interval; };
  CHECK(covered(bootstrap, 5.0) >= 890); // known to be short for small samples
}

TEST_CASE("bootstrap depends on its seed alone") {
  const std::vector<double> values = normals(9, 40, 3.0, 1.0);
  const Estimate one = bootstrap_estimate(values, median, 0.9, 500, 7), same = bootstrap_estimate(values, median, 0.9, 500, 7);
  const Estimate other = bootstrap_estimate(values, mean, 0.9, 500, 8), again = bootstrap_estimate(values, mean, 0.9, 500, 7);
  CHECK(one.value == median(values));
  CHECK(one.interval.low == same.interval.low);
  CHECK(one.standard_error == same.standard_error);
  CHECK(other.standard_error != again.standard_error);
  CHECK(again.standard_error == Approx(standard_deviation(values) / std::sqrt(40.0)).epsilon(0.15));
}

TEST_CASE("the order of the values does not matter") {
  std::vector<double> values = normals(4, 101, 1.0, 5.0), turned(values.rbegin(), values.rend());
  CHECK(mean(values) == mean(turned));
  CHECK(median(values) == median(turned));
  CHECK(mad_scale(values) == mad_scale(turned));
  CHECK(standard_deviation(values) == standard_deviation(turned));
}

TEST_CASE("Pearson's coefficient squared") {
  CHECK(pearson_squared(std::vector<double>{1, 2, 3}, std::vector<double>{5, 3, 1}) == Approx(1.0));
  CHECK(pearson_squared(std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, -1, -1, 1}) == Approx(0.0));
  CHECK(pearson_squared(std::vector<double>{1, 2}, std::vector<double>{3, 3}) == 0.0);
  CHECK(pearson_squared(std::vector<double>{1, 1}, std::vector<double>{3, 3}) == 1.0);
}

TEST_CASE("the ratio of two means") {
  const Estimate above{6.0, 0.3, {}}, below{3.0, 0.15, {}};
  const Estimate ratio = ratio_estimate(above, below, 1000000), inverse = ratio_estimate(below, above, 1000000);
  CHECK(ratio.value == 2.0);
  CHECK(ratio.standard_error == Approx(2.0 * 0.05 * std::sqrt(2.0)));
  CHECK(ratio.interval.high == Approx(2.0 * std::exp(1.959964 * 0.05 * std::sqrt(2.0))).epsilon(1e-6));
  CHECK(inverse.interval.low == Approx(1.0 / ratio.interval.high));
  CHECK(std::isinf(ratio_estimate(above, below, 1).interval.high));
  CHECK(std::isinf(ratio_estimate({0.0, 0.0, {}}, below, 10).interval.high));
}
