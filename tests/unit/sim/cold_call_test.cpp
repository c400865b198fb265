// Calls that post a send right behind another one, with independent flows (tests of ordered
// channels: channel_test.cpp).
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace cold_call_test {

using namespace scenario;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

platform::Platform with_cold_calls() {
  platform::Platform platform = flat(2);
  platform.p2p.isend_overhead = {{0, 5e-6, 0}};
  platform.p2p.eager_flow_below_bytes = platform.p2p.detached_below_bytes;
  platform.transport.cold_call = Seconds(2e-6);
  return platform;
}

} // namespace

TEST_CASE("an isend right behind another is quicker, one after a pause is not") {
  Program program(2);
  program.all_init();
  program.rank(0).isend(1, 8, 1).isend(1, 8, 2).isend(1, 8, 3).compute(1e-3).isend(1, 8, 4);
  for (int i = 0; i < 4; ++i) program.rank(1).receive(0);
  program.rank(0).finalize();
  program.rank(1).compute(1.0).finalize();
  const sim::Prediction p = play(program, with_cold_calls());
  REQUIRE(p.complete);
  CHECK(seconds(p, 0, sim::Activity::point_to_point) == near(5e-6 + 3e-6 + 3e-6 + 5e-6));
}

} // namespace cold_call_test
