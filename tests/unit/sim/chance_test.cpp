// What a run leaves to chance: a function of the seed, fair, and nothing at all for seed 0.
#include "predictor/sim/chance.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <vector>

namespace chance_test {

namespace {

using farcast::sim::Chance;

std::vector<std::uint32_t> order_of(const Chance& chance, std::uint32_t rank, std::uint64_t draw, std::uint32_t peers) {
  std::vector<std::uint32_t> order(peers);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return chance.place(rank, draw, a) < chance.place(rank, draw, b); });
  return order;
}

constexpr int kDraws = 20000;

// Of several ranks.
std::vector<double> factors_of(double (Chance::*draw)(std::uint32_t, std::uint64_t) const) {
  const Chance chance(1);
  std::vector<double> out;
  for (int i = 0; i < kDraws; ++i)
    out.push_back((chance.*draw)(static_cast<std::uint32_t>(i % 7), static_cast<std::uint64_t>(i)));
  return out;
}

} // namespace

TEST_CASE("seed 0 leaves nothing to chance") {
  const Chance none(0);
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    CHECK(none.wake(3, draw) == 1.0);
    CHECK(none.post(3, draw) == 1.0);
    CHECK(order_of(none, 3, draw, 5) == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  }
}

TEST_CASE("a seed is one history, and another one another") {
  std::set<std::vector<double>> histories;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::vector<double> wakes;
    for (std::uint64_t draw = 0; draw < 100; ++draw) {
      wakes.push_back(Chance(seed).wake(1, draw));
      CHECK(Chance(seed).wake(1, draw) == wakes.back());
    }
    histories.insert(wakes);
  }
  CHECK(histories.size() == 50);
}

TEST_CASE("calls that post sends take between half and twice their usual time, which is the mean") {
  double sum = 0;
  int below = 0;
  for (const double factor : factors_of(&Chance::post)) {
    REQUIRE(factor >= 0.5);
    REQUIRE(factor < 2.0);
    sum += factor;
    below += factor < 0.875 ? 1 : 0;
  }
  CHECK(sum / kDraws == Approx(1.0).margin(0.016)); // 5 standard errors
  CHECK(below / static_cast<double>(kDraws) == Approx(0.5).margin(0.018));
}

TEST_CASE("most wake-ups take their usual time, the others up to three times as long") {
  int late = 0;
  double sum = 0;
  for (const double factor : factors_of(&Chance::wake)) {
    REQUIRE(factor >= 1.0);
    REQUIRE(factor < 3.0);
    late += factor > 1.0 ? 1 : 0;
    sum += factor - 1.0;
  }
  CHECK(late / static_cast<double>(kDraws) == Approx(0.125).margin(0.012)); // 5 standard errors
  CHECK(sum / late == Approx(1.0).margin(0.06));                            // 5 standard errors of a uniform distribution
}

TEST_CASE("each look goes through the same circle of peers, and begins anywhere") {
  constexpr std::uint32_t kPeers = 6;
  const Chance chance(5);
  std::vector<std::uint32_t> circle = order_of(chance, 2, 0, kPeers);
  std::vector<int> first(kPeers);
  for (std::uint64_t draw = 0; draw < 600; ++draw) {
    const std::vector<std::uint32_t> order = order_of(chance, 2, draw, kPeers);
    ++first[order.front()];
    std::rotate(circle.begin(), std::find(circle.begin(), circle.end(), order.front()), circle.end());
    REQUIRE(order == circle);
  }
  for (const int times : first) CHECK(times > 0);
  // Processes have circles of their own.
  std::set<std::vector<std::uint32_t>> circles;
  for (std::uint32_t rank = 0; rank < 20; ++rank) {
    std::vector<std::uint32_t> order = order_of(chance, rank, 0, kPeers);
    std::rotate(order.begin(), std::find(order.begin(), order.end(), 0U), order.end());
    circles.insert(order);
  }
  CHECK(circles.size() > 10);
}

} // namespace chance_test
