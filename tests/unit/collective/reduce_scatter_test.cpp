#include "executor.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

using namespace farcast::collective;
using namespace farcast::collective::test;

namespace {

// Blocks of every size beside 0, as MPI_Reduce_scatter allows.
std::vector<double> uneven(int size) {
  std::vector<double> counts;
  for (int rank = 0; rank < size; ++rank) counts.push_back(rank * 7 % 13 * 100);
  return counts;
}

template <class Check> void for_all_blocks(Check check) {
  for (const int p : communicator_sizes()) {
    for (const double block : message_sizes()) {
      CAPTURE(p, block);
      check(p, Blocks::uniform(block, p));
    }
    for (const std::vector<double>& counts : {uneven(p), telling_blocks(p)}) {
      CAPTURE(p, counts);
      check(p, Blocks::listed(counts));
    }
  }
}

// Ranks that a pair's survivor stands for, and their blocks.
double sitting_out(int p, const Blocks& blocks) {
  double bytes = 0;
  for (int rank = 0; rank < 2 * (p - floor_power_of_two(p)); rank += 2) bytes += blocks.size(rank);
  return bytes;
}

} // namespace

TEST_CASE("recursive halving: (p-1) n in all, log2 p rounds") {
  for_all_blocks([](int p, const Blocks& blocks) {
    const Outcome outcome = play(p, [&](Place at, Schedule& out) { recursive_halving_reduce_scatter(at, blocks, out); });
    REQUIRE(outcome.fault == "");
    CHECK(all_heard_all(outcome));
    const int power = floor_power_of_two(p);
    const int extra = p - power;
    CHECK(outcome.total_sent() ==
          Approx((power - 1) * blocks.total() + extra * blocks.total() + sitting_out(p, blocks)).epsilon(1e-14));
    CHECK(outcome.total_reduced() == Approx((p - 1) * blocks.total()).epsilon(1e-14));
    CHECK(outcome.rounds() == log2_floor(p) + (extra > 0 ? 2 : 0));
    if (extra == 0)
      for (int rank = 0; rank < p; ++rank)
        CHECK(outcome.sent[static_cast<std::size_t>(rank)] == blocks.total() - blocks.size(rank));
    CHECK((p > 1 || outcome.messages == 0));
  });
}

TEST_CASE("ring: each rank sends all blocks but its own") {
  for_all_blocks([](int p, const Blocks& blocks) {
    const Outcome outcome = play(p, [&](Place at, Schedule& out) { ring_reduce_scatter(at, blocks, out); });
    REQUIRE(outcome.fault == "");
    CHECK(all_heard_all(outcome));
    for (int rank = 0; rank < p; ++rank)
      CHECK(outcome.sent[static_cast<std::size_t>(rank)] == blocks.total() - blocks.size(rank));
    CHECK(outcome.rounds() == p - 1);
    CHECK((p > 1 || outcome.messages == 0));
  });
}

TEST_CASE("linear: a reduction to rank 0, then a block to each") {
  for_all_blocks([](int p, const Blocks& blocks) {
    const Outcome outcome = play(p, [&](Place at, Schedule& out) { linear_reduce_scatter(at, blocks, out); });
    REQUIRE(outcome.fault == "");
    for (int rank = 0; rank < p; ++rank) // an empty block is not sent
      if (rank == 0 || blocks.size(rank) > 0) CHECK(outcome.heard[static_cast<std::size_t>(rank)] == first_ranks(p));
    CHECK(outcome.total_sent() == Approx((p - 1) * blocks.total() + blocks.total() - blocks.size(0)).epsilon(1e-14));
    CHECK(outcome.sent[0] == blocks.total() - blocks.size(0));
    CHECK((p > 1 || outcome.messages == 0));
  });
}

TEST_CASE("a scan: rank r hears of all ranks below") {
  for (const int p : communicator_sizes())
    for (const double n : message_sizes()) {
      CAPTURE(p, n);
      const Outcome linear = play(p, [&](Place at, Schedule& out) { linear_scan(at, n, out); });
      const Outcome doubling = play(p, [&](Place at, Schedule& out) { recursive_doubling_scan(at, n, out); });
      REQUIRE(linear.fault == "");
      REQUIRE(doubling.fault == "");
      for (int rank = 0; rank < p; ++rank) {
        const RankSet below = first_ranks(rank + 1);
        CHECK(linear.heard[static_cast<std::size_t>(rank)] == below);
        CHECK((doubling.heard[static_cast<std::size_t>(rank)] & below) == below);
      }
      CHECK(linear.total_sent() == (p - 1) * n);
      CHECK(linear.rounds() == p - 1);
      CHECK(doubling.rounds() == log2_ceiling(p));
      if (is_power_of_two(p)) {
        CHECK(doubling.total_sent() == p * log2_floor(p) * n);
        CHECK(doubling.total_reduced() == p * log2_floor(p) * n * 1.5); // the upper rank of each pair reduces twice
      }
    }
}
