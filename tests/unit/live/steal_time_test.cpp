#include "predictor/live/steal_time.h"

#include <catch2/catch.hpp>

namespace farcast::live {

TEST_CASE("stolen time is the eighth figure of the line of all processors, and part of the sum") {
  const auto ticks = parse_processor_ticks("cpu  10 1 5 100 3 0 1 20 7 2");
  REQUIRE(ticks);
  CHECK(ticks->stolen == 20);
  CHECK(ticks->all == 140); // guests' time stands in user and nice already
}

TEST_CASE("a line of one processor, or one without steal, tells nothing") {
  CHECK_FALSE(parse_processor_ticks("cpu0 10 1 5 100 3 0 1 20"));
  CHECK_FALSE(parse_processor_ticks("cpu 10 1 5 100 3 0 1"));
  CHECK_FALSE(parse_processor_ticks("cpu 10 1 5 100 3 0 1 x"));
  CHECK_FALSE(parse_processor_ticks(""));
}

} // namespace farcast::live
