#include "predictor/report/crowded_threads.h"

#include <catch2/catch.hpp>

namespace crowded_threads_test {

using namespace farcast;
using namespace farcast::report;

namespace {

struct Run {
  Run() : recording(0) {}
  Run& rank(int computing, std::uint64_t cores, const std::string& host = "a", int isolation = 0) {
    auto& added = *recording.ranks.emplace_back(std::make_unique<trace::RankRecording>());
    added.rank = static_cast<int>(recording.ranks.size()) - 1;
    added.host = host;
    added.isolation = isolation;
    added.threads_seen.program = computing;
    added.threads_seen.computing = computing;
    if (cores > 0) added.threads_seen.cores = {cores};
    return *this;
  }
  [[nodiscard]] std::vector<CrowdedThreads> found() const { return crowded_threads(recording); }
  [[nodiscard]] std::optional<SharedCores> shared() const { return shared_cores(recording); }
  trace::Recording recording;
};

} // namespace

TEST_CASE("threads with a core each are no matter, nor are ranks of one thread") {
  CHECK(Run().rank(2, 0x3).rank(2, 0xc).found().empty());
  CHECK(Run().rank(2, 0xf).rank(2, 0xf).found().empty());
  CHECK(Run().rank(1, 0x1).rank(1, 0x1).rank(1, 0x1).found().empty());
  CHECK(Run().rank(2, 0x3).rank(2, 0x3, "b").found().empty());
  CHECK(Run().rank(12, 0).found().empty()); // nobody knows
}

TEST_CASE("a rank with fewer cores than threads: the worst is named") {
  const auto found = Run().rank(2, 0x1).rank(2, 0x6).rank(6, 0x18).rank(4, 0x60).found();
  REQUIRE(found.size() == 1);
  const auto& few = std::get<RanksOnFewCores>(found[0]);
  CHECK(few.ranks == 3);
  CHECK(few.rank == 2);
  CHECK(few.threads == 6);
  CHECK(few.cores == 2);
}

TEST_CASE("ranks that share cores, each with enough for itself") {
  const auto found = Run().rank(2, 0x3).rank(1, 0x3).rank(2, 0x3, "b").rank(2, 0x3, "b").found();
  REQUIRE(found.size() == 1); // of the first node
  const auto& full = std::get<NodeOfFewCores>(found[0]);
  CHECK(full.host == "a");
  CHECK(full.ranks == 2);
  CHECK(full.threads == 3);
  CHECK(full.cores == 2);
  CHECK(Run().rank(2, 0x3).rank(2, 0x3).rank(1, 0x3).found().size() == 1);
}

TEST_CASE("ranks that computed one at a time had the cores for themselves") {
  CHECK(Run().rank(2, 0x3, "a", 1).rank(2, 0x3, "a", 1).found().empty());
  CHECK(Run().rank(2, 0x3, "a", 2).rank(2, 0x3, "a", 2).found().size() == 1);
}

TEST_CASE("ranks of one thread that took turns on cores are told apart from threads that did") {
  const auto shared = Run().rank(1, 0x3).rank(1, 0x3).rank(1, 0x3).shared();
  REQUIRE(shared);
  CHECK(shared->host == "a");
  CHECK(shared->ranks == 3);
  CHECK(shared->cores == 2);
  CHECK(Run().rank(1, 0x1).rank(1, 0x1).shared()); // bound to one core
  CHECK_FALSE(Run().rank(1, 0x1).rank(1, 0x2).shared());
  CHECK_FALSE(Run().rank(2, 0x3).rank(2, 0x3).shared());                                      // crowded_threads() tells these
  CHECK_FALSE(Run().rank(1, 0x3, "a", 2).rank(1, 0x3, "a", 2).rank(1, 0x3, "a", 2).shared()); // in turn
  CHECK_FALSE(Run().rank(1, 0).rank(1, 0).shared());                                          // nobody knows
  CHECK(Run().rank(1, 0x1).rank(1, 0x1, "b").rank(1, 0x1, "b").shared()->host == "b");
}

} // namespace crowded_threads_test
