#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace one_sided_test {

using namespace scenario;
using trace::kNoReply;

namespace {

constexpr double kBytes = 1e6;

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

// The time of rank 0's access to rank 1, which computes all the while.
double accessed(const platform::Platform& platform, double bytes, double reply) {
  Program program(2);
  program.all_init();
  program.rank(0).transfer(1, bytes, reply, 7).wait({7});
  program.rank(1).compute(10.0).local(0);
  program.rank(0).finalize();
  program.rank(1).finalize();
  const sim::Prediction prediction = play(program, platform);
  REQUIRE(prediction.complete);
  REQUIRE(prediction.assumptions.size() == 1);
  return prediction.ranks[0].in[static_cast<std::size_t>(sim::Activity::completion)].value() +
         prediction.ranks[0].in[static_cast<std::size_t>(sim::Activity::point_to_point)].value() +
         prediction.ranks[0].in[static_cast<std::size_t>(sim::Activity::waiting)].value();
}

} // namespace

TEST_CASE("an access takes the way there, the way back, or both, without its target's help") {
  const platform::Platform platform = flat(2);
  CHECK(accessed(platform, kBytes, kNoReply) == near(alone(platform, kBytes)));
  CHECK(accessed(platform, 0, kBytes) == near(alone(platform, 0) + alone(platform, kBytes)));
  CHECK(accessed(platform, 100, 200) == near(alone(platform, 100) + alone(platform, 200)));
}

TEST_CASE("accesses of several ranks to one target share its link") {
  const platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  for (int rank = 1; rank < 3; ++rank) program.rank(rank).transfer(0, kBytes, kNoReply, 1).wait({1});
  program.all_finalize();
  const double both = play(program, platform).time.value();
  const double single = alone(platform, kBytes);
  CHECK(both > 1.9 * single);
  CHECK(both < 2.0 * single);
}

TEST_CASE("an access to itself, to nobody, and one whose completion nobody waits for") {
  const platform::Platform platform = flat(2);
  Program program(2);
  program.all_init();
  program.rank(0).transfer(0, 100, 100, 1).wait({1}).transfer(9, 100, 100, 2).wait({2}).transfer(1, 100, kNoReply, 3);
  program.all_finalize();
  const sim::Prediction prediction = play(program, platform);

  REQUIRE(prediction.problems.size() == 1);
  CHECK(prediction.problems[0].kind == sim::ProblemKind::no_such_rank);
  CHECK(prediction.problems[0].peer == 9);
  CHECK(prediction.problems[0].role == sim::PeerRole::target);
}

namespace {

// Each of the last two of three ranks holds a lock of rank 0's window for a second, in which it
// computes; the second of them asks while the first has it.
sim::Prediction in_turn(trace::Lock first, trace::Lock second, const platform::Platform& platform) {
  Program program(3);
  program.all_init();
  program.rank(1).lock(0, first, 1).compute(1.0).unlock(0, first);
  program.rank(2).compute(0.5).lock(0, second, 1).compute(1.0).unlock(0, second);
  program.all_finalize();
  sim::Prediction prediction = play(program, platform);
  REQUIRE(prediction.complete);
  return prediction;
}

} // namespace

TEST_CASE("a lock waits for whoever holds it, unless both share it") {
  using trace::Lock;
  const platform::Platform platform = flat(3);
  const double way = alone(platform, 0);
  // The first lets go when its word has come; the second has the lock when the target's has.
  const double one_after_the_other = 2 * way + 1.0 + way + way + 1.0;
  for (const auto& [first, second] :
       {std::pair{Lock::exclusive, Lock::exclusive}, std::pair{Lock::exclusive, Lock::shared},
        std::pair{Lock::shared, Lock::exclusive}, std::pair{Lock::exclusive, Lock::all}, std::pair{Lock::all, Lock::exclusive}}) {
    const sim::Prediction prediction = in_turn(first, second, platform);
    CHECK(prediction.time.value() == near(one_after_the_other));
    CHECK(prediction.ranks[2].in[static_cast<std::size_t>(sim::Activity::waiting)].value() == near(0.5 + 3 * way));
  }
  const double together = 0.5 + 2 * way + 1.0;
  for (const auto& [first, second] :
       {std::pair{Lock::shared, Lock::shared}, std::pair{Lock::shared, Lock::all}, std::pair{Lock::all, Lock::all}})
    CHECK(in_turn(first, second, platform).time.value() == near(together));
}

TEST_CASE("a rank that holds its own lock makes others wait, and waits for them") {
  const platform::Platform platform = flat(2);
  const double way = alone(platform, 0);
  using trace::Lock;
  Program program(2);
  program.all_init();
  program.rank(0).lock(0, Lock::exclusive, 1).compute(1.0).unlock(0, Lock::exclusive).lock(0, Lock::exclusive, 2);
  program.rank(0).unlock(0, Lock::exclusive);
  program.rank(1).compute(0.5).lock(0, Lock::exclusive, 1).compute(1.0).unlock(0, Lock::exclusive);
  program.all_finalize();
  const sim::Prediction prediction = play(program, platform);
  REQUIRE(prediction.complete);
  CHECK(prediction.ranks[1].in[static_cast<std::size_t>(sim::Activity::waiting)].value() > 0.49);
  CHECK(prediction.time.value() == Approx(2.0 + 2 * way).epsilon(1e-3)); // and what copies to itself take
}

TEST_CASE("a lock that nobody gives up is a deadlock, said at who waits for it") {
  const platform::Platform platform = flat(3);
  Program program(3);
  program.all_init();
  program.rank(1).lock(0, trace::Lock::exclusive, 1);
  program.rank(2).compute(0.5).lock(0, trace::Lock::shared, 1);
  program.all_finalize();
  const sim::Prediction prediction = play(program, platform);
  CHECK_FALSE(prediction.complete);
  REQUIRE(prediction.problems.size() == 2);
  CHECK(prediction.problems[0].kind == sim::ProblemKind::deadlock);
  CHECK(prediction.problems[1].rank == 2);
}

} // namespace one_sided_test
