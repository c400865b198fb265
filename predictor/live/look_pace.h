// How long the predictor waits before it looks at the rings again.
//
// Where a core is idle it looks often, so that little is left to be played at the end. Where none
// is, each look takes a core from a rank, often while its partner waits: then as seldom as a rank
// fills kSlotsBetweenLooks, for memory that it has written before is quicker than memory that it
// gets anew. But ranks that have been quiet may begin to call at any time, and a buffer that is full
// ends their recording. Threads: one.
#pragma once

#include "libinterpose/stream/ring_reader.h"

#include <algorithm>
#include <cstdint>

namespace farcast::live {

class LookPace {
public:
  static constexpr int kFirstWaitMs = 4; // new segments are what costs most at the start of a run
  static constexpr int kIdleWaitMs = 10;
  static constexpr int kEndWaitMs = 2;
  static constexpr int kLongestWaitMs = 50; // a quarter of the usual buffer, of a rank that makes a call each 25 ns
  static constexpr double kSlotsBetweenLooks = 12 * stream::kSegmentSlots;

  // Returns: milliseconds until the next look. `slots`: what the busiest rank had since the last
  // one, which took `took_ms`.
  int wait_when_busy(std::uint64_t slots, double took_ms) {
    if (slots >= stream::kMostSlotsAtOnce) return set(1); // it has more
    const double ms = wait_ms_ + took_ms;
    const double wanted = slots == 0 ? kLongestWaitMs : kSlotsBetweenLooks * ms / static_cast<double>(slots);
    // A run that has just begun may soon be busier: longer by steps.
    return set(static_cast<int>(std::clamp(wanted, 1.0, std::min<double>(kLongestWaitMs, 2.0 * wait_ms_))));
  }
  int wait_when_idle() { return set(kIdleWaitMs); }
  // At their end ranks do not say when they have published their last record, and wait for us.
  int wait_at_end() { return set(kEndWaitMs); }

private:
  int set(int wait_ms) { return wait_ms_ = std::max(1, wait_ms); }
  int wait_ms_ = kFirstWaitMs;
};

} // namespace farcast::live
