// How long the predictor waits before it looks at the rings again.
#include "predictor/live/look_pace.h"

#include <catch2/catch.hpp>

using farcast::live::LookPace;

TEST_CASE("looks become as rare as busy rings allow, by steps") {
  LookPace pace;
  CHECK(pace.wait_when_busy(0, 0) == 2 * LookPace::kFirstWaitMs);
  CHECK(pace.wait_when_busy(0, 0) == 4 * LookPace::kFirstWaitMs);
  for (int i = 0; i < 10; ++i) pace.wait_when_busy(0, 0);
  CHECK(pace.wait_when_busy(0, 0) == LookPace::kLongestWaitMs);
  // Twice as many slots as there should be in that time: half of it.
  const auto slots = static_cast<std::uint64_t>(2 * LookPace::kSlotsBetweenLooks);
  CHECK(pace.wait_when_busy(slots, 0) == LookPace::kLongestWaitMs / 2);
  CHECK(pace.wait_when_busy(1000 * slots, 0) == 1);
}

TEST_CASE("a rank that was quiet and calls as fast as it can finds room until the next look") {
  LookPace pace;
  for (int i = 0; i < 100; ++i) pace.wait_when_busy(0, 0);
  constexpr double kFastestCallNs = 25;
  const double slots = pace.wait_when_busy(0, 0) * 1e6 / kFastestCallNs;
  CHECK(slots * sizeof(farcast::stream::Slot) <= 0.25 * 512 * 1024 * 1024);
  CHECK(pace.wait_when_busy(farcast::stream::kMostSlotsAtOnce, 40) == 1); // a look takes no more at once: there is more
}

TEST_CASE("looks are frequent where a core is idle, and most at the end") {
  LookPace pace;
  CHECK(pace.wait_when_idle() == LookPace::kIdleWaitMs);
  CHECK(pace.wait_at_end() == LookPace::kEndWaitMs);
  CHECK(pace.wait_when_busy(0, 0) == 2 * LookPace::kEndWaitMs);
}
