#include "predictor/scenario/replicates.h"

#include "predictor/base/normal_deviate.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace farcast;
using namespace farcast::scenario;

namespace {

using Ranks = std::vector<std::vector<double>>; // [rank][step] seconds

// Of `steps` sizes that have nothing to do with one another; each rank is a tenth slower than the
// one before it.
Ranks made(std::size_t ranks, std::size_t steps, double noise, std::uint64_t seed) {
  Ranks out(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t step = 0; step < steps; ++step) {
      const double size = 1e-3 * (1 + 0.3 * static_cast<double>((7 * step) % 5));
      const std::uint64_t key = seed * 100000 + rank * 1000 + step;
      out[rank].push_back(size * (1 + 0.1 * static_cast<double>(rank)) * (1 + noise * base::normal_deviate(key)));
    }
  }
  return out;
}

std::vector<std::span<const double>> spans(const Ranks& ranks) { return {ranks.begin(), ranks.end()}; }

} // namespace

TEST_CASE("of ranks that do the same, what steps and ranks have in common is no noise") {
  const Ranks exact = made(4, 8, 0, 1);
  const auto found = replicates_of(spans(exact));
  REQUIRE(found);
  CHECK(found->variance == Approx(0).margin(1e-20));
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(found->rank[rank] / found->rank[0] == Approx(1 + 0.1 * static_cast<double>(rank)));
    for (std::size_t step = 0; step < 8; ++step) CHECK(found->rank[rank] * found->step[step] == Approx(exact[rank][step]));
  }
}

TEST_CASE("what is left is the noise, without bias, and with as many degrees of freedom as are said") {
  constexpr double kNoise = 0.05;
  constexpr int kCases = 2000;
  const auto [ranks, steps] = GENERATE(table<std::size_t, std::size_t>({{2, 12}, {4, 6}, {4, 12}, {16, 4}}));
  double mean = 0, squares = 0, degrees = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    const auto found = replicates_of(spans(made(ranks, steps, kNoise, seed)));
    REQUIRE(found);
    const double ratio = found->variance / (kNoise * kNoise);
    mean += ratio / kCases;
    squares += ratio * ratio / kCases;
    degrees = found->degrees;
  }
  INFO(ranks << " ranks, " << steps << " steps: " << degrees << " degrees of freedom");
  CHECK(mean == Approx(1).margin(0.05));
  CHECK(squares - mean * mean == Approx(2 / degrees).epsilon(0.25)); // of chi squared over its degrees
}

TEST_CASE("what is left of each series varies as the noise does, around 1") {
  const Ranks ranks = made(4, 300, 0.05, 3);
  const auto found = replicates_of(spans(ranks));
  REQUIRE(found);
  for (const std::vector<double>& series : left_of(spans(ranks), *found)) {
    double mean = 0, squares = 0;
    for (const double one : series) mean += one / 300;
    for (const double one : series) squares += (one - mean) * (one - mean) / 299;
    CHECK(mean == Approx(1).margin(0.01));
    CHECK(std::sqrt(squares) == Approx(0.05).epsilon(0.15));
  }
}

TEST_CASE("one rank, one step, too few of both, and ranks that are not alike tell nothing") {
  CHECK_FALSE(replicates_of(spans(made(1, 12, 0.05, 1))));
  CHECK_FALSE(replicates_of(spans(made(12, 1, 0.05, 1))));
  CHECK_FALSE(replicates_of(spans(made(2, 2, 0.05, 1))));
  CHECK_FALSE(replicates_of(spans({{1, 0, 0, 0, 1, 0, 0, 0}, {0, 1, 0, 0, 0, 1, 0, 0}, {0, 0, 1, 0, 0, 0, 1, 0}})));
}
