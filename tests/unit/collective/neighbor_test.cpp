#include "executor.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace farcast::collective;
using namespace farcast::collective::test;
using farcast::trace::Collective;
using farcast::trace::CollectiveKind;

namespace {

std::shared_ptr<const std::vector<int>> ranks(std::vector<int> list) {
  return std::make_shared<const std::vector<int>>(std::move(list));
}
std::shared_ptr<const std::vector<double>> bytes(std::vector<double> list) {
  return std::make_shared<const std::vector<double>>(std::move(list));
}

// Neighbours of a rank on a line or ring, in MPI's order: left, right.
std::vector<int> line(int rank, int size, bool periodic) {
  if (periodic) return {(rank + size - 1) % size, (rank + 1) % size};
  return {rank > 0 ? rank - 1 : -1, rank + 1 < size ? rank + 1 : -1};
}

Outcome play_neighbors(int size, const std::function<Collective(int rank)>& call) {
  return play(size, [&](Place at, Schedule& out) { CHECK(build(call(at.rank), at.rank, at.size, 0, out) == "linear"); });
}

} // namespace

TEST_CASE("on a ring each rank sends its block to both sides, a rank that is its own neighbour copies") {
  for (const CollectiveKind kind : {CollectiveKind::neighbor_allgather, CollectiveKind::neighbor_alltoall})
    for (const int p : communicator_sizes()) {
      CAPTURE(p);
      const Outcome outcome = play_neighbors(p, [&](int rank) {
        return Collective{.kind = kind,
                          .send_bytes = 100,
                          .receive_bytes = 100,
                          .sources = ranks(line(rank, p, true)),
                          .destinations = ranks(line(rank, p, true))};
      });
      REQUIRE(outcome.fault == "");
      for (int rank = 0; rank < p; ++rank) {
        const auto self = static_cast<std::size_t>(rank);
        CHECK(outcome.sent[self] == (p == 1 ? 0 : 200));
        CHECK(outcome.copied[self] == (p == 1 ? 200 : 0));
        for (const int neighbor : line(rank, p, true)) CHECK(outcome.heard[self].test(static_cast<std::size_t>(neighbor)));
      }
    }
}

TEST_CASE("neighbours that do not exist are skipped, empty messages are not") {
  for (const int p : communicator_sizes())
    for (const double block : {0.0, 64.0}) {
      const Outcome outcome = play_neighbors(p, [&](int rank) {
        return Collective{.kind = CollectiveKind::neighbor_alltoall,
                          .send_bytes = block,
                          .receive_bytes = block,
                          .sources = ranks(line(rank, p, false)),
                          .destinations = ranks(line(rank, p, false))};
      });
      REQUIRE(outcome.fault == "");
      CHECK(outcome.messages == 2 * (p - 1));
      CHECK(outcome.total_sent() == 2 * (p - 1) * block);
    }
}

TEST_CASE("v and w kinds send each neighbour its own count on a directed graph") {
  // Rank r sends to 2r + 1 and 3r + 2 (mod p), some of them itself; a source's edges come in the
  // order in which it lists them.
  const auto destination = [](int rank, int edge, int size) { return edge == 0 ? (2 * rank + 1) % size : (3 * rank + 2) % size; };
  const auto weight = [](int rank, int edge) { return rank * 10.0 + edge; };
  for (const CollectiveKind kind :
       {CollectiveKind::neighbor_allgatherv, CollectiveKind::neighbor_alltoallv, CollectiveKind::neighbor_alltoallw})
    for (const int p : communicator_sizes()) {
      CAPTURE(p);
      double between = 0;
      const Outcome outcome = play_neighbors(p, [&](int rank) {
        std::vector<int> sources;
        std::vector<double> received;
        for (int from = 0; from < p; ++from)
          for (int edge = 0; edge < 2; ++edge)
            if (destination(from, edge, p) == rank) {
              sources.push_back(from);
              received.push_back(weight(from, edge));
              between += from == rank ? 0 : weight(from, edge);
            }
        return Collective{.kind = kind,
                          .send_counts = bytes({weight(rank, 0), weight(rank, 1)}),
                          .receive_counts = bytes(received),
                          .sources = ranks(sources),
                          .destinations = ranks({destination(rank, 0, p), destination(rank, 1, p)})};
      });
      REQUIRE(outcome.fault == "");
      CHECK(outcome.total_sent() == between);
    }
}

TEST_CASE("a rank without neighbours has nothing to do") {
  Schedule schedule;
  build(Collective{.kind = CollectiveKind::neighbor_alltoall, .send_bytes = 8, .receive_bytes = 8}, 0, 4, 0, schedule);
  CHECK(schedule.empty());
}
