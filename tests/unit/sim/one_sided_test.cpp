#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

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
