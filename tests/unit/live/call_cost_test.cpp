// What recording added to a call, by samples.
#include "predictor/live/call_cost.h"

#include <catch2/catch.hpp>

using namespace farcast;
using live::sampled_call_cost;

TEST_CASE("the cost of a call is that of all threads' samples, and of growing rings") {
  stream::CostSamples few{};
  few.calls = 5;
  few.ticks = 500;
  CHECK(!sampled_call_cost({few}, 1e9));
  stream::CostSamples more{};
  more.calls = 5;
  more.ticks = 1500;
  REQUIRE(sampled_call_cost({few, more}, 1e9));
  CHECK(*sampled_call_cost({few, more}, 1e9) == 200);
  more.grow_ns = 10 * stream::kCallsPerSample * 7; // 7 ns per call
  CHECK(*sampled_call_cost({few, more}, 2e9) == 214);
}
