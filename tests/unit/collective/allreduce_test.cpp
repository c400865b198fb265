// Thakur, Rabenseifner, Gropp 2005, section 4.5, and Open MPI's ways with other sizes than powers
// of two.
#include "executor.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

using namespace farcast::collective;
using namespace farcast::collective::test;

namespace {

template <class Check> void for_all(Check check) {
  for (const int p : communicator_sizes())
    for (const double n : message_sizes()) {
      CAPTURE(p, n);
      check(p, n);
    }
}

void require_allreduce(const Outcome& outcome, int p) {
  REQUIRE(outcome.fault == "");
  REQUIRE(all_heard_all(outcome));
  REQUIRE((p > 1 || (outcome.messages == 0 && outcome.total_reduced() == 0)));
}

} // namespace

TEST_CASE("recursive doubling: n log2 p per rank") {
  for_all([](int p, double n) {
    const Outcome outcome = play(p, [&](Place at, Schedule& out) { recursive_doubling_allreduce(at, n, out); });
    require_allreduce(outcome, p);
    const int power = floor_power_of_two(p);
    const int extra = p - power;
    CHECK(outcome.total_sent() == power * log2_floor(p) * n + 2 * extra * n);
    CHECK(outcome.total_reduced() == power * log2_floor(p) * n + extra * n);
    CHECK(outcome.rounds() == log2_floor(p) + (extra > 0 ? 2 : 0));
    if (extra == 0) CHECK(outcome.sent[0] == n * log2_floor(p));
  });
}

TEST_CASE("ring: 2 (p-1)/p n per rank in 2 (p-1) rounds") {
  for_all([](int p, double n) {
    const Outcome outcome = play(p, [&](Place at, Schedule& out) { ring_allreduce(at, n, out); });
    require_allreduce(outcome, p);
    CHECK(outcome.total_sent() == 2 * (p - 1) * n);
    CHECK(outcome.total_reduced() == (p - 1) * n);
    CHECK(outcome.rounds() == 2 * (p - 1));
    const Blocks blocks = Blocks::even(n, p);
    for (int rank = 0; rank < p && p > 1; ++rank) // all blocks but the next rank's, then all but the one after it
      CHECK(outcome.sent[static_cast<std::size_t>(rank)] == 2 * n - blocks.size((rank + 1) % p) - blocks.size((rank + 2) % p));
  });
}

TEST_CASE("segmented ring: the ring's bytes in pieces") {
  for_all([](int p, double n) {
    const double segment = 8192;
    const Outcome outcome = play(p, [&](Place at, Schedule& out) { segmented_ring_allreduce(at, n, segment, out); });
    require_allreduce(outcome, p);
    const int phases = std::max(1, static_cast<int>(std::ceil(std::ceil(n / p) / segment)));
    CHECK(outcome.total_sent() == 2 * (p - 1) * n);
    CHECK(outcome.total_reduced() == (p - 1) * n);
    CHECK(outcome.messages == p * (p - 1) * (phases + 1));
  });
}

TEST_CASE("Rabenseifner: 2 (p-1)/p n per rank in 2 log2 p rounds") {
  for_all([](int p, double n) {
    const Outcome outcome = play(p, [&](Place at, Schedule& out) { rabenseifner_allreduce(at, n, out); });
    require_allreduce(outcome, p);
    const int power = floor_power_of_two(p);
    const int extra = p - power;
    CHECK(outcome.total_sent() == 2 * (power - 1) * n + extra * (2 * n + std::ceil(n / 2)));
    CHECK(outcome.total_reduced() == (p - 1) * n);
    if (extra == 0) CHECK(outcome.rounds() == 2 * log2_floor(p));
    if (extra == 0 && std::fmod(n, p) == 0) CHECK(outcome.sent[0] == 2 * n * (p - 1) / p);
  });
}

TEST_CASE("one rank of a large allreduce costs its own steps only") {
  for (const int rank : {0, 1, 77777, (1 << 24)}) {
    Schedule schedule;
    recursive_doubling_allreduce({rank, (1 << 24) + 3}, 8, schedule);
    CHECK(schedule.size() <= 24U * 4 + 3);
    schedule.clear();
    rabenseifner_allreduce({rank, (1 << 24) + 3}, 1 << 24, schedule);
    CHECK(schedule.size() <= 24U * 7 + 8);
  }
}
