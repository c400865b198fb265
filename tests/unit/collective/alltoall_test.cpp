#include "executor.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

using namespace farcast::collective;
using namespace farcast::collective::test;

namespace {

// Bytes from rank `from` to rank `to`: some of them 0.
double amount(int from, int to) { return (from * 31 + to * 17) % 5 * 64; }

std::vector<double> row(int size, int from) {
  std::vector<double> counts;
  for (int to = 0; to < size; ++to) counts.push_back(amount(from, to));
  return counts;
}

std::vector<double> column(int size, int to) {
  std::vector<double> counts;
  for (int from = 0; from < size; ++from) counts.push_back(amount(from, to));
  return counts;
}

} // namespace

TEST_CASE("alltoall: p-1 blocks per rank, directly") {
  for (const int p : communicator_sizes())
    for (const double block : message_sizes()) {
      CAPTURE(p, block);
      const Outcome linear = play(p, [&](Place at, Schedule& out) { linear_alltoall(at, block, out); });
      const Outcome pairwise = play(p, [&](Place at, Schedule& out) { pairwise_alltoall(at, block, out); });
      for (const Outcome* outcome : {&linear, &pairwise}) {
        REQUIRE(outcome->fault == "");
        CHECK(all_heard_all(*outcome));
        CHECK(outcome->messages == p * (p - 1));
        for (std::size_t rank = 0; rank < outcome->sent.size(); ++rank) {
          CHECK(outcome->sent[rank] == (p - 1) * block);
          CHECK(outcome->received[rank] == (p - 1) * block);
        }
      }
      CHECK(linear.rounds() == (p == 1 ? 0 : 1));
      CHECK(pairwise.rounds() == p - 1);
    }
}

TEST_CASE("Bruck's alltoall: ceil(log2 p) rounds, each block travels its distance's bits") {
  for (const int p : communicator_sizes())
    for (const double block : message_sizes()) {
      CAPTURE(p, block);
      const Outcome outcome = play(p, [&](Place at, Schedule& out) { bruck_alltoall(at, block, out); });
      REQUIRE(outcome.fault == "");
      CHECK(all_heard_all(outcome));
      CHECK(outcome.rounds() == log2_ceiling(p));
      int hops = 0;
      for (unsigned distance = 1; distance < static_cast<unsigned>(p); ++distance) hops += std::popcount(distance);
      for (const double sent : outcome.sent) CHECK(sent == hops * block);
      if (is_power_of_two(p)) CHECK(outcome.sent[0] == p / 2.0 * log2_floor(p) * block); // Thakur05 section 4.4
    }
}

TEST_CASE("alltoallv moves each pair's bytes; the linear one leaves empty messages out") {
  for (const int p : communicator_sizes()) {
    CAPTURE(p);
    const Outcome pairwise =
        play(p, [&](Place at, Schedule& out) { pairwise_alltoallv(at, row(p, at.rank), column(p, at.rank), out); });
    const Outcome linear =
        play(p, [&](Place at, Schedule& out) { linear_alltoallv(at, row(p, at.rank), column(p, at.rank), out); });
    int full = 0;
    for (int from = 0; from < p; ++from) {
      double sent = 0;
      double received = 0;
      for (int peer = 0; peer < p; ++peer)
        if (peer != from) {
          sent += amount(from, peer);
          received += amount(peer, from);
          full += amount(from, peer) > 0 ? 1 : 0;
        }
      for (const Outcome* outcome : {&pairwise, &linear}) {
        REQUIRE(outcome->fault == "");
        CHECK(outcome->sent[static_cast<std::size_t>(from)] == sent);
        CHECK(outcome->received[static_cast<std::size_t>(from)] == received);
      }
    }
    CHECK(pairwise.messages == p * (p - 1));
    CHECK(all_heard_all(pairwise));
    CHECK(linear.messages == full);
  }
}

TEST_CASE("Open MPI's alltoallv sends to rank 0 first, its alltoall to the rank before; libnbc's goes by numbers, too") {
  const auto destinations = [](const Schedule& schedule) {
    std::vector<int> out;
    for (const Step& step : schedule)
      if (step.kind == StepKind::isend) out.push_back(step.peer);
    return out;
  };
  const std::vector<double> blocks(5, 100);
  Schedule listed;
  linear_alltoallv({2, 5}, blocks, blocks, listed);
  CHECK(destinations(listed) == std::vector{0, 1, 3, 4});
  Schedule even;
  linear_alltoall({2, 5}, 100, even);
  CHECK(destinations(even) == std::vector{1, 0, 4, 3});
  Schedule by_number;
  in_order_alltoall({2, 5}, 100, by_number);
  CHECK(destinations(by_number) == std::vector{0, 1, 3, 4});
}

TEST_CASE("an alltoall in place is p - 1 exchanges, one after another") {
  for (const int p : communicator_sizes()) {
    CAPTURE(p);
    const Outcome outcome = play(p, [](Place at, Schedule& out) { in_place_alltoall(at, 100, true, out); });
    REQUIRE(outcome.fault == "");
    CHECK(outcome.messages == p * (p - 1));
    CHECK(outcome.rounds() == p - 1);
  }
  Schedule schedule; // as gdb saw them in Open MPI 4.1.4: to 1 and from 3, to 3 and from 1, ...
  in_place_alltoall({2, 5}, 100, true, schedule);
  std::vector<int> to;
  std::vector<int> from;
  for (const Step& step : schedule) {
    if (step.kind == StepKind::send) to.push_back(step.peer);
    if (step.kind == StepKind::ireceive) from.push_back(step.peer);
  }
  CHECK(to == std::vector{1, 3, 0, 4});
  CHECK(from == std::vector{3, 1, 4, 0});
}

TEST_CASE("an alltoallv without bytes has no step when linear") {
  const std::vector<double> nothing(5, 0);
  Schedule schedule;
  linear_alltoallv({2, 5}, nothing, nothing, schedule);
  CHECK(schedule.empty());
}
