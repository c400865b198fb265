#include "executor.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

using namespace farcast::collective;
using namespace farcast::collective::test;

namespace {

using Allgather = void (*)(Place, const Blocks&, Schedule&);

Outcome require_allgather(int p, const Blocks& blocks, Allgather allgather) {
  Outcome outcome = play(p, [&](Place at, Schedule& out) { allgather(at, blocks, out); });
  REQUIRE(outcome.fault == "");
  REQUIRE(all_heard_all(outcome));
  // Each rank receives every block but its own, and none twice: with blocks of different powers of
  // two the sum tells which.
  for (int rank = 0; rank < p; ++rank)
    REQUIRE(outcome.received[static_cast<std::size_t>(rank)] == blocks.total() - blocks.size(rank));
  REQUIRE((p > 1 || outcome.messages == 0));
  return outcome;
}

} // namespace

TEST_CASE("allgather: (p-1) blocks per rank, rounds by algorithm") {
  for (const int p : communicator_sizes())
    for (const double block : message_sizes()) {
      CAPTURE(p, block);
      const Blocks blocks = Blocks::uniform(block, p);
      const Outcome ring = require_allgather(p, blocks, ring_allgather);
      const Outcome bruck = require_allgather(p, blocks, bruck_allgather);
      CHECK(ring.rounds() == p - 1);
      CHECK(bruck.rounds() == log2_ceiling(p));
      for (const double sent : ring.sent) CHECK(sent == (p - 1) * block);
      for (const double sent : bruck.sent) CHECK(sent == (p - 1) * block);
      if (p % 2 == 0) {
        const Outcome neighbors = require_allgather(p, blocks, neighbor_exchange_allgather);
        CHECK(neighbors.rounds() == p / 2);
        CHECK(neighbors.sent[0] == (p - 1) * block);
      }
      if (is_power_of_two(p)) {
        const Outcome doubling = play(p, [&](Place at, Schedule& out) { recursive_doubling_allgather(at, block, out); });
        REQUIRE(doubling.fault == "");
        CHECK(all_heard_all(doubling));
        CHECK(doubling.rounds() == log2_floor(p));
        for (const double sent : doubling.sent) CHECK(sent == (p - 1) * block);
      }
    }
}

TEST_CASE("allgatherv brings each rank each block once") {
  for (const int p : communicator_sizes()) {
    CAPTURE(p);
    const std::vector<double> counts = telling_blocks(p);
    if (p > 50) continue; // sums of more would not be exact
    const Blocks blocks = Blocks::listed(counts);
    CHECK(require_allgather(p, blocks, ring_allgather).total_sent() == (p - 1) * blocks.total());
    require_allgather(p, blocks, bruck_allgather);
    if (p % 2 == 0) require_allgather(p, blocks, neighbor_exchange_allgather);
  }
}

TEST_CASE("empty blocks among others still let everybody hear from everybody") {
  for (const int p : communicator_sizes()) {
    std::vector<double> counts(static_cast<std::size_t>(p), 0);
    counts[static_cast<std::size_t>(p / 2)] = 4096;
    const Blocks blocks = Blocks::listed(counts);
    require_allgather(p, blocks, ring_allgather);
    require_allgather(p, blocks, bruck_allgather);
  }
}
