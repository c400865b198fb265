// The clock of what is recorded: the processor's counter; or, where a test needs the same times at every
// run, one that stands still but for what the program says that it computes.
//
// FARCAST_FIXED_CLOCK=NS: a program that defines `unsigned long long farcast_fixed_clock`, in
// picoseconds and visible to dlsym (-rdynamic), is timed by that, every call takes one of them, and
// a poll of a coupled run NS nanoseconds. Nothing is taken out of regions then, and no calls are
// folded into rows.
#pragma once

#include "libinterpose/stream/segment.h"
#include "libinterpose/stream/ticks.h"

#include <cstdint>

namespace farcast::interpose {

inline constexpr double kFixedTicksPerNs = 1000;

extern constinit std::uint64_t* fixed_clock; // null: the processor's counter

inline std::uint64_t clock_ticks() {
  if (__builtin_expect(fixed_clock != nullptr, 0)) return *fixed_clock;
  return stream::ticks();
}

// At the start: which clock it is, how fast, and what reading it costs; into `process` and the header.
void set_clock(stream::RankHeader& header);

} // namespace farcast::interpose
