// A time line cut down to what a screen can show: per rank a row of segments, each one interval as it
// is, or several short neighbours as one with the shares of their activities.
//
// A rank's intervals that are at least `shortest` long stay as they are; shorter ones are taken
// together until they are as long, or a longer one comes.
// Invariants: (1) a rank's segments follow each other without a gap, from 0 to the end of the time
// line; (2) of each rank the seconds of each activity are those of its intervals, but for rounding;
// (3) at most 2 * end / shortest + 1 segments per rank. Threads: one.
#pragma once

#include "predictor/timeline/time_line.h"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace farcast::html {

using ActivitySeconds = std::array<double, sim::kActivities>; // [activity]

struct Segment {
  double begin = 0;
  double end = 0;
  std::uint64_t intervals = 0;
  timeline::Interval only; // requires: intervals is 1
  ActivitySeconds in{};    // sums up to end - begin
};

// Hands the segments of one rank to `take`, in their order.
void cut(const timeline::TimeLine& line, std::size_t rank, double shortest, const std::function<void(const Segment&)>& take);

// Returns: the `shortest` with which the whole time line has at most `most` segments, or one per rank
// where that is more: 0 if all intervals are that few; otherwise close to the least that suffices.
double shortest_for(const timeline::TimeLine& line, std::size_t most);

// Returns: [slice of equal length][activity] seconds of all ranks. Requires: slices > 0.
std::vector<ActivitySeconds> profile(const timeline::TimeLine& line, std::size_t slices);

} // namespace farcast::html
