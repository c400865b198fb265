#include "executor.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace farcast::collective;
using namespace farcast::collective::test;

namespace {

using Bcast = std::function<void(Place, int root, double bytes, Schedule&)>;

std::vector<std::pair<std::string, Bcast>> tree_bcasts() {
  std::vector<std::pair<std::string, Bcast>> all{{"linear", linear_bcast}};
  for (const double segment : {0.0, 8192.0, 131072.0}) {
    using Segmented = void (*)(Place, int, double, double, Schedule&);
    const std::pair<const char*, Segmented> segmented[] = {{"binomial", binomial_bcast},
                                                           {"binary", binary_bcast},
                                                           {"pipeline", pipeline_bcast},
                                                           {"split_binary_tree", split_binary_tree_bcast}};
    for (const auto& [name, bcast] : segmented)
      all.emplace_back(name + std::to_string(segment), [bcast = bcast, segment](Place at, int root, double bytes, Schedule& out) {
        bcast(at, root, bytes, segment, out);
      });
    all.emplace_back("chain" + std::to_string(segment), [segment](Place at, int root, double bytes, Schedule& out) {
      chain_bcast(at, root, bytes, segment, 4, out);
    });
  }
  return all;
}

} // namespace

TEST_CASE("broadcasts along trees bring the buffer to each rank once") {
  for (const auto& [name, bcast] : tree_bcasts())
    for (const int p : communicator_sizes())
      for (const int root : roots(p))
        for (const double n : message_sizes()) {
          if (p > 17 && root > 1 && n > 1000) continue; // as the small ones, and slow
          CAPTURE(name, p, root, n);
          const Outcome outcome = play(p, [&](Place at, Schedule& out) { bcast(at, root, n, out); });
          REQUIRE(outcome.fault == "");
          REQUIRE(all_heard(outcome, root));
          REQUIRE(outcome.total_sent() == (p - 1) * n);
          const auto each_once = [&](int rank) {
            return outcome.received[static_cast<std::size_t>(rank)] == (rank == root ? 0 : n);
          };
          for (int rank = 0; rank < p; ++rank) REQUIRE(each_once(rank));
          REQUIRE((p > 1 || outcome.messages == 0));
        }
}

TEST_CASE("scatter and ring allgather: (p-1) n for the ring, (n/2) log2 p for the scatter") {
  for (const int p : communicator_sizes())
    for (const int root : roots(p))
      for (const double n : message_sizes()) {
        CAPTURE(p, root, n);
        const Outcome outcome = play(p, [&](Place at, Schedule& out) { scatter_ring_allgather_bcast(at, root, n, out); });
        REQUIRE(outcome.fault == "");
        REQUIRE(all_heard(outcome, root));
        const double scattered = outcome.total_sent() - (p - 1) * n;
        if (is_power_of_two(p) && std::fmod(n, p) == 0) CHECK(scattered == n / 2 * log2_floor(p));
        CHECK(scattered <= n * log2_ceiling(p) / 2 + n);
        // The root sends away all blocks but its own, and in the ring all but the one of its right
        // neighbour.
        const Blocks blocks = Blocks::ceiling(n, p);
        if (p > 1) CHECK(outcome.sent[static_cast<std::size_t>(root)] == 2 * n - blocks.size(0) - blocks.size(1));
        CHECK((p > 1 || outcome.messages == 0));
      }
}

TEST_CASE("a pipeline takes p - 2 + segments rounds") {
  for (const int p : {2, 3, 8, 17})
    for (const int segments : {1, 2, 7, 16}) {
      CAPTURE(p, segments);
      const Outcome outcome = play(p, [&](Place at, Schedule& out) { pipeline_bcast(at, 0, segments * 8192.0, 8192, out); });
      REQUIRE(outcome.fault == "");
      CHECK(outcome.rounds() == p - 2 + segments);
      CHECK(outcome.messages == (p - 1) * segments);
    }
}

TEST_CASE("the root of a binomial broadcast sends ceil(log2 p) messages, of a binary one two") {
  for (const int p : communicator_sizes()) {
    const Outcome binomial = play(p, [&](Place at, Schedule& out) { binomial_bcast(at, 0, 8, 0, out); });
    CHECK(binomial.sent[0] == 8 * log2_ceiling(p));
    const Outcome binary = play(p, [&](Place at, Schedule& out) { binary_bcast(at, 0, 8, 0, out); });
    CHECK(binary.sent[0] == 8 * std::min(p - 1, 2));
  }
}

TEST_CASE("a rank of a broadcast over many ranks costs its own steps only") {
  for (const int rank : {0, 1, 99, (1 << 24) - 1}) {
    Schedule schedule;
    binomial_bcast({rank, 1 << 24}, 5, 8, 0, schedule);
    CHECK(schedule.size() <= 26);
    schedule.clear();
    split_binary_tree_bcast({rank, 1 << 24}, 5, 1000, 0, schedule);
    CHECK(schedule.size() <= 8);
  }
}
