#include "predictor/html/segments.h"

#include <algorithm>
#include <cmath>

namespace farcast::html {

namespace {

using timeline::Interval;
using timeline::RecordFile;
using timeline::TimeLine;

std::size_t count(const TimeLine& line, double shortest) {
  std::size_t segments = 0;
  for (std::size_t rank = 0; rank < line.ranks(); ++rank) cut(line, rank, shortest, [&](const Segment&) { ++segments; });
  return segments;
}

// Adds an interval's seconds to the slices that it lies in; `slice`: where the one before it ended.
void spread(const Interval& interval, double slice_s, std::size_t& slice, std::vector<ActivitySeconds>& out) {
  const auto activity = static_cast<std::size_t>(interval.activity);
  double from = interval.begin;
  while (from < interval.end) {
    while (slice + 1 < out.size() && slice_s * static_cast<double>(slice + 1) <= from) ++slice;
    const double to = slice + 1 < out.size() ? std::min(interval.end, slice_s * static_cast<double>(slice + 1)) : interval.end;
    out[slice][activity] += to - from;
    from = to;
  }
}

} // namespace

void cut(const TimeLine& line, std::size_t rank, double shortest, const std::function<void(const Segment&)>& take) {
  RecordFile<Interval>::Reader reader(line.intervals, rank);
  Segment open;
  const auto close = [&] {
    if (open.intervals > 0) take(open);
    open = {open.end, open.end, 0, {}, {}};
  };
  for (Interval interval; reader.next(interval);) {
    const double length = interval.end - interval.begin;
    if (length >= shortest) close();
    open.only = interval;
    ++open.intervals;
    open.end = interval.end;
    open.in[static_cast<std::size_t>(interval.activity)] += length;
    if (open.end - open.begin >= shortest) close();
  }
  close();
}

double shortest_for(const TimeLine& line, std::size_t most) {
  if (line.intervals.size() <= most || line.ranks() == 0 || !(line.end_s > 0)) return 0;
  if (most <= line.ranks()) return 2 * line.end_s; // no interval is as long: one segment per rank
  const double per_rank = static_cast<double>(most) / static_cast<double>(line.ranks());
  double enough = std::min(2 * line.end_s, 2 * line.end_s / std::max(per_rank - 1, 1e-9)); // invariant (3)
  double too_short = 0;
  constexpr int kSteps = 12;
  double next = enough / 64;
  for (int step = 0; step < kSteps; ++step) {
    (count(line, next) <= most ? enough : too_short) = next;
    if (enough < 1.1 * too_short) break;
    next = too_short > 0 ? std::sqrt(enough * too_short) : enough / 64;
  }
  return enough;
}

std::vector<ActivitySeconds> profile(const TimeLine& line, std::size_t slices) {
  std::vector<ActivitySeconds> out(slices);
  if (!(line.end_s > 0)) return out;
  const double slice_s = line.end_s / static_cast<double>(slices);
  for (std::size_t rank = 0; rank < line.ranks(); ++rank) {
    RecordFile<Interval>::Reader reader(line.intervals, rank);
    std::size_t slice = 0;
    for (Interval interval; reader.next(interval);) spread(interval, slice_s, slice, out);
  }
  return out;
}

} // namespace farcast::html
