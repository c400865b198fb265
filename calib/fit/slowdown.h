// How much longer a region takes beside co-runners: its slowdown curve.
//
// Samples (co-runners, seconds of one visit) -> slowdown(co-runners) = cost with so many co-runners
// / cost alone, with spread and interval.
// 1. slowdown(1) is 1. Between measured numbers of co-runners the curve is straight, outside it is
//    constant: nothing is extrapolated.
// 2. Cost is the mean of the visits after winsorising 2 % at both ends: what a run's total time is
//    made of, yet not moved by a few visits that were interrupted. A median would lose visits that
//    are long on purpose.
// 3. Monotone where the data does not speak against it: shared caches, memory and turbo clocks make
//    more co-runners dearer, so what looks otherwise is noise and is pooled (isotonic regression);
//    but regions that are cheaper beside co-runners exist (Heinrich17 reports some: caches warmed
//    by others), so where pooling, in either direction, leaves a measured interval the curve stays
//    free.
// Source: Heinrich17 V-A2; SimGrid's ratio is 1 / slowdown(all co-runners). Threads: pure functions.
#pragma once

#include "calib/fit/statistics.h"
#include "predictor/base/result.h"

#include <cstddef>
#include <span>
#include <vector>

namespace farcast::fit {

struct CorunnerSample {
  int corunners = 1; // ranks that compute at the same time on the node, this one included
  double seconds = 0.0;
};

struct SlowdownPoint {
  int corunners = 1;
  Estimate seconds;    // mean cost of a visit
  double spread = 0.0; // relative standard deviation of the visits, by median absolute deviation
  std::size_t samples = 0;
  Estimate slowdown;     // of the curve; the interval is that of the measured ratio
  double measured = 1.0; // the ratio before pooling
};

enum class SlowdownShape { rising, falling, free };

struct SlowdownCurve {
  std::vector<SlowdownPoint> points; // by co-runners, ascending; the first is 1, alone
  SlowdownShape shape = SlowdownShape::rising;

  // Returns: the slowdown at any number of co-runners >= 1, also a fractional one (an average over
  // virtual time).
  [[nodiscard]] double operator()(double corunners) const;
  // Returns: SimGrid's ratio at that number of co-runners: the measured time in isolation is
  // divided by it.
  [[nodiscard]] double simgrid_ratio(double corunners) const { return 1.0 / (*this)(corunners); }
};

// Errors: no sample alone, a number of co-runners < 1, seconds negative or not finite, or a mean
// cost alone of 0.
base::Result<SlowdownCurve> fit_slowdown(std::span<const CorunnerSample> samples, double confidence = 0.95);

} // namespace farcast::fit
