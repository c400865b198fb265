#include "calib/fit/partition.h"

#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>
#include <limits>

namespace partition_test {

using namespace farcast::fit;

namespace {

struct Data {
  std::vector<double> x, y, weight;
  [[nodiscard]] Points points() const { return {x, y, weight}; }
};

Data noisy_points(std::uint64_t seed, std::size_t count) {
  synthetic::Random random(seed);
  Data data;
  double x = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!random.chance(0.2)) x += random.uniform(0.5, 2.0); // some sizes come twice
    data.x.push_back(x);
    data.y.push_back(random.normal() + (i > count / 2 ? 3.0 : 0.0));
    data.weight.push_back(random.chance(0.1) ? 0.0 : random.uniform(0.5, 2.0));
  }
  return data;
}

// Weighted squares left by the best line, the plain way.
double plain_cost(const Data& data, std::size_t first, std::size_t end) {
  double w = 0, mean_x = 0, mean_y = 0;
  for (std::size_t i = first; i < end; ++i) {
    w += data.weight[i];
    mean_x += data.weight[i] * data.x[i];
    mean_y += data.weight[i] * data.y[i];
  }
  mean_x /= w;
  mean_y /= w;
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = first; i < end; ++i) {
    xx += data.weight[i] * (data.x[i] - mean_x) * (data.x[i] - mean_x);
    xy += data.weight[i] * (data.x[i] - mean_x) * (data.y[i] - mean_y);
    yy += data.weight[i] * (data.y[i] - mean_y) * (data.y[i] - mean_y);
  }
  return yy - xy * xy / xx;
}

std::vector<std::size_t> all_cuts(const Moments& moments) {
  std::vector<std::size_t> cuts;
  for (std::size_t cut = 0; cut <= moments.samples(); ++cut)
    if (moments.separates(cut)) cuts.push_back(cut);
  return cuts;
}

bool possible(const Data& data, const Moments& moments, std::size_t first, std::size_t end, const PartitionOptions& options) {
  for (const std::size_t forced : options.forced_cuts)
    if (first < forced && forced < end) return false;
  return end - first >= options.min_samples && 2 * moments.weighing(first, end) >= options.min_samples &&
         moments.spreads(first, end) && data.x[first] < data.x[end - 1];
}

// The oracle: every way to cut.
double best_by_trying(const Data& data, const Moments& moments, std::size_t first, std::size_t stretches,
                      const PartitionOptions& options) {
  const std::size_t count = data.x.size();
  if (stretches == 1) return possible(data, moments, first, count, options) ? plain_cost(data, first, count) : INFINITY;
  double best = INFINITY;
  for (std::size_t cut = first + 1; cut < count; ++cut)
    if (moments.separates(cut) && possible(data, moments, first, cut, options))
      best = std::min(best, plain_cost(data, first, cut) + best_by_trying(data, moments, cut, stretches - 1, options));
  return best;
}

} // namespace

TEST_CASE("costs and lines of stretches") {
  const Data data = noisy_points(1, 40);
  const Moments moments(data.points());
  CHECK(moments.samples() == 40);
  for (std::size_t first = 0; first + 6 < 40; first += 5)
    for (std::size_t end = first + 6; end <= 40; end += 3) {
      REQUIRE(moments.spreads(first, end));
      CHECK(moments.cost(first, end) == Approx(plain_cost(data, first, end)).epsilon(1e-10));
      double sum = 0.0, moment = 0.0; // residuals of the best line are orthogonal to ones and x
      const Line line = moments.line(first, end);
      double leverages = 0.0;
      for (std::size_t i = first; i < end; ++i) {
        sum += data.weight[i] * (data.y[i] - line(data.x[i]));
        moment += data.weight[i] * data.x[i] * (data.y[i] - line(data.x[i]));
        leverages += moments.leverage(first, end, i, data.weight[i]);
      }
      CHECK(sum == Approx(0.0).margin(1e-9));
      CHECK(moment == Approx(0.0).margin(1e-8));
      CHECK(leverages == Approx(2.0)); // as many as parameters
    }
}

TEST_CASE("two lines straightened are the best line through what they say") {
  const Data data = noisy_points(7, 60);
  const Moments moments(data.points());
  const Line below{2.0, 0.5}, above{-1.0, 3.0};
  const std::size_t first = 10, end = 50;
  for (const std::size_t cut : {10, 11, 30, 49, 50}) {
    Data said = data;
    for (std::size_t i = 0; i < said.x.size(); ++i) said.y[i] = i < cut ? below(said.x[i]) : above(said.x[i]);
    const Line expected = Moments(said.points()).line(first, end);
    const Line found = moments.straightened(first, cut, end, below, above);
    CHECK(found.base == Approx(expected.base).margin(1e-9));
    CHECK(found.slope == Approx(expected.slope).margin(1e-9));
  }
}

TEST_CASE("the partition is the best of all") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Data data = noisy_points(seed, 18);
    const Moments moments(data.points());
    PartitionOptions options{3, 4, {}};
    if (seed % 3 == 0 && moments.separates(7)) options.forced_cuts = {7};
    const Partitions found = best_partitions(data.points(), all_cuts(moments), options);
    REQUIRE(found.cost.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) {
      const double best = best_by_trying(data, moments, 0, k + 1, options);
      if (std::isinf(best)) {
        CHECK(std::isinf(found.cost[k]));
        CHECK(found.cuts[k].empty());
        continue;
      }
      CHECK(found.cost[k] == Approx(best).epsilon(1e-9).margin(1e-9));
      REQUIRE(found.cuts[k].size() == k + 2);
      double cost = 0.0;
      for (std::size_t i = 0; i <= k; ++i) {
        CHECK(possible(data, moments, found.cuts[k][i], found.cuts[k][i + 1], options));
        cost += plain_cost(data, found.cuts[k][i], found.cuts[k][i + 1]);
      }
      CHECK(cost == Approx(best).epsilon(1e-9).margin(1e-9));
    }
  }
}

} // namespace partition_test
