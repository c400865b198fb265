#include "executor.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

using namespace farcast::collective;
using namespace farcast::collective::test;

namespace {

template <class Check> void for_all(Check check) {
  for (const int p : communicator_sizes())
    for (const int root : roots(p))
      for (const double block : message_sizes()) {
        CAPTURE(p, root, block);
        check(p, root, block);
      }
}

// Sum over all ranks but the root of the ranks in their subtrees.
double passed_on(int p) {
  double ranks = 0;
  for (int relative = 1; relative < p; ++relative) ranks += in_order_subtree(relative, p);
  return ranks;
}

} // namespace

TEST_CASE("a gather brings every block to the root") {
  for_all([](int p, int root, double block) {
    const auto at_root = static_cast<std::size_t>(root);
    const Outcome linear = play(p, [&](Place at, Schedule& out) { linear_gather(at, root, block, out); });
    const Outcome sync = play(p, [&](Place at, Schedule& out) { linear_sync_gather(at, root, block, 1024, out); });
    const Outcome binomial = play(p, [&](Place at, Schedule& out) { binomial_gather(at, root, block, out); });
    for (const Outcome* outcome : {&linear, &sync, &binomial}) {
      REQUIRE(outcome->fault == "");
      CHECK(outcome->heard[at_root] == first_ranks(p));
      CHECK(outcome->received[at_root] == (p - 1) * block);
      CHECK((p > 1 || outcome->messages == 0));
    }
    CHECK(linear.total_sent() == (p - 1) * block);
    CHECK(sync.total_sent() == (p - 1) * block);
    CHECK(sync.messages == 3 * (p - 1));
    CHECK(binomial.total_sent() == passed_on(p) * block);
    if (is_power_of_two(p)) CHECK(binomial.total_sent() == p / 2.0 * log2_floor(p) * block);
    CHECK(binomial.rounds() == log2_ceiling(p));
  });
}

TEST_CASE("a scatter brings each rank its block") {
  for_all([](int p, int root, double block) {
    const auto at_root = static_cast<std::size_t>(root);
    const Outcome linear = play(p, [&](Place at, Schedule& out) { linear_scatter(at, root, block, out); });
    const Outcome binomial = play(p, [&](Place at, Schedule& out) { binomial_scatter(at, root, block, out); });
    for (const Outcome* outcome : {&linear, &binomial}) {
      REQUIRE(outcome->fault == "");
      CHECK(all_heard(*outcome, root));
      CHECK(outcome->sent[at_root] == (p - 1) * block);
      // What a rank keeps of what it is sent is its block.
      for (std::size_t rank = 0; rank < outcome->sent.size(); ++rank)
        if (rank != at_root) CHECK(outcome->received[rank] - outcome->sent[rank] == block);
      CHECK((p > 1 || outcome->messages == 0));
    }
    CHECK(binomial.total_sent() == passed_on(p) * block);
    CHECK(binomial.rounds() == log2_ceiling(p));
  });
}

TEST_CASE("gatherv and scatterv move each rank's own block") {
  for (const int p : communicator_sizes())
    for (const int root : roots(p)) {
      CAPTURE(p, root);
      const std::vector<double> counts = telling_blocks(p);
      const auto own = [&](int rank) { return counts[static_cast<std::size_t>(rank)]; };
      const Outcome gathered = play(
          p, [&](Place at, Schedule& out) { linear_gatherv(at, root, own(at.rank), at.rank == root ? &counts : nullptr, out); });
      const Outcome scattered = play(
          p, [&](Place at, Schedule& out) { linear_scatterv(at, root, own(at.rank), at.rank == root ? &counts : nullptr, out); });
      REQUIRE(gathered.fault == "");
      REQUIRE(scattered.fault == "");
      CHECK(gathered.heard[static_cast<std::size_t>(root)] == first_ranks(p));
      CHECK(all_heard(scattered, root));
      for (int rank = 0; rank < p; ++rank)
        if (rank != root) {
          CHECK(gathered.sent[static_cast<std::size_t>(rank)] == own(rank));
          CHECK(scattered.received[static_cast<std::size_t>(rank)] == own(rank));
        }
    }
}

TEST_CASE("one rank of a large binomial gather costs its own steps only") {
  for (const int rank : {0, 1, 1 << 23, (1 << 24) - 1}) {
    Schedule schedule;
    binomial_gather({rank, 1 << 24}, 7, 8, schedule);
    CHECK(schedule.size() <= 26);
  }
}
