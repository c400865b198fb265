#include "executor.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

using namespace farcast::collective;
using namespace farcast::collective::test;

TEST_CASE("a barrier lets nobody out before all are in") {
  const auto barrier =
      GENERATE(linear_barrier, recursive_doubling_barrier, dissemination_barrier, tree_barrier, double_ring_barrier);
  for (const int p : communicator_sizes()) {
    CAPTURE(p);
    const Outcome outcome = play(p, barrier);
    REQUIRE(outcome.fault == "");
    CHECK(all_heard_all(outcome));
    CHECK(outcome.total_sent() == 0);
    if (p == 1) CHECK(outcome.messages == 0);
  }
}

TEST_CASE("rounds and messages of the barriers") {
  for (const int p : communicator_sizes()) {
    CAPTURE(p);
    const Outcome dissemination = play(p, dissemination_barrier);
    CHECK(dissemination.rounds() == log2_ceiling(p));
    CHECK(dissemination.messages == p * log2_ceiling(p));
    const Outcome doubling = play(p, recursive_doubling_barrier);
    CHECK(doubling.rounds() == log2_floor(p) + (is_power_of_two(p) ? 0 : 2));
    CHECK(play(p, tree_barrier).messages == 2 * (p - 1));
    CHECK(play(p, tree_barrier).rounds() == 2 * log2_ceiling(p));
    CHECK(play(p, linear_barrier).messages == 2 * (p - 1));
    CHECK(play(p, double_ring_barrier).rounds() == (p == 1 ? 0 : 2 * p));
  }
}

TEST_CASE("one rank's schedule of a large communicator is as short as its steps") {
  for (const int rank : {0, 1, 12345, (1 << 24) - 1}) {
    Schedule schedule;
    dissemination_barrier({rank, 1 << 24}, schedule);
    CHECK(schedule.size() == 24U * 3);
    schedule.clear();
    recursive_doubling_barrier({rank, 1 << 24}, schedule);
    CHECK(schedule.size() == 24U * 3);
    schedule.clear();
    tree_barrier({rank, 1 << 24}, schedule);
    CHECK(schedule.size() <= 24U * 2);
  }
}
