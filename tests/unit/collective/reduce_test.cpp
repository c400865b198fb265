#include "executor.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace farcast::collective;
using namespace farcast::collective::test;

namespace {

using Reduce = std::function<void(Place, int root, double bytes, Schedule&)>;

std::vector<std::pair<std::string, Reduce>> tree_reduces() {
  std::vector<std::pair<std::string, Reduce>> all{{"linear", linear_reduce}};
  for (const double segment : {0.0, 8192.0, 65536.0}) {
    using Segmented = void (*)(Place, int, double, double, Schedule&);
    const std::pair<const char*, Segmented> segmented[] = {
        {"binomial", binomial_reduce}, {"binary", binary_reduce}, {"pipeline", pipeline_reduce}};
    for (const auto& [name, reduction] : segmented)
      all.emplace_back(name + std::to_string(segment),
                       [reduction = reduction, segment](Place at, int root, double bytes, Schedule& out) {
                         reduction(at, root, bytes, segment, out);
                       });
    all.emplace_back("chain" + std::to_string(segment), [segment](Place at, int root, double bytes, Schedule& out) {
      chain_reduce(at, root, bytes, segment, 4, out);
    });
  }
  return all;
}

} // namespace

TEST_CASE("reductions along trees: each rank but the root sends the buffer once") {
  for (const auto& [name, reduction] : tree_reduces())
    for (const int p : communicator_sizes())
      for (const int root : roots(p))
        for (const double n : message_sizes()) {
          if (p > 17 && root > 1 && n > 1000) continue; // as the small ones, and slow
          CAPTURE(name, p, root, n);
          const Outcome outcome = play(p, [&](Place at, Schedule& out) { reduction(at, root, n, out); });
          REQUIRE(outcome.fault == "");
          REQUIRE(outcome.heard[static_cast<std::size_t>(root)] == first_ranks(p));
          for (int rank = 0; rank < p; ++rank) REQUIRE(outcome.sent[static_cast<std::size_t>(rank)] == (rank == root ? 0 : n));
          REQUIRE(outcome.total_reduced() == (p - 1) * n);
          REQUIRE((p > 1 || outcome.messages == 0));
        }
}

TEST_CASE("the in-order reduction ends at the last rank, which passes the result on") {
  for (const int p : communicator_sizes())
    for (const int root : roots(p))
      for (const double segment : {0.0, 8192.0}) {
        CAPTURE(p, root, segment);
        const double n = 65536;
        const Outcome outcome = play(p, [&](Place at, Schedule& out) { in_order_binary_reduce(at, root, n, segment, out); });
        REQUIRE(outcome.fault == "");
        CHECK(outcome.heard[static_cast<std::size_t>(root)] == first_ranks(p));
        CHECK(outcome.total_sent() == (p - 1) * n + (root == p - 1 ? 0 : n));
        CHECK(outcome.total_reduced() == (p - 1) * n);
      }
}

TEST_CASE("Rabenseifner's reduce") {
  for (const int p : communicator_sizes())
    for (const int root : roots(p))
      for (const double n : message_sizes()) {
        CAPTURE(p, root, n);
        const Outcome outcome = play(p, [&](Place at, Schedule& out) { rabenseifner_reduce(at, root, n, out); });
        REQUIRE(outcome.fault == "");
        CHECK(outcome.heard[static_cast<std::size_t>(root)] == first_ranks(p));
        CHECK(outcome.total_reduced() == (p - 1) * n);
        if (is_power_of_two(p) && std::fmod(n, p) == 0) {
          CHECK(outcome.total_sent() == (p - 1) * n + n / 2 * log2_floor(p));
          CHECK(outcome.received[static_cast<std::size_t>(root)] == 2 * n * (p - 1) / p);
          CHECK(outcome.rounds() == 2 * log2_floor(p));
        }
        CHECK((p > 1 || outcome.messages == 0));
      }
}

TEST_CASE("a binomial reduction takes ceil(log2 p) rounds at most, a pipeline p - 2 + segments") {
  for (const int p : communicator_sizes()) { // a parent has two receives posted: the parts of two children may come in one round
    const int rounds = play(p, [&](Place at, Schedule& out) { binomial_reduce(at, 0, 8, 0, out); }).rounds();
    CHECK(rounds <= log2_ceiling(p));
    CHECK(2 * rounds >= log2_ceiling(p));
  }
  for (const int segments : {1, 2, 7, 16})
    CHECK(play(8, [&](Place at, Schedule& out) { pipeline_reduce(at, 3, segments * 1024.0, 1024, out); }).rounds() ==
          8 - 2 + segments);
}
