// The regions of one program in several files of `calibrate regions`: of two nodes, or of one node
// at several frequencies.
//
// Files -> rows of the regions that all have, by build-id and offset of their calls; where no build
// is common, as when each node has a compiler of its own, by file:line where that is unique. Pure
// functions.
#pragma once

#include "calib/study/speed_comparison.h"
#include "predictor/region/slowdown_table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace farcast::study {

struct AlignedRegion {
  std::string name;                                // "a.c:10 -> a.c:20"
  std::vector<const region::RegionSlowdown*> in{}; // [table]
};

struct AlignedRegions {
  std::vector<AlignedRegion> rows; // by time in the first table, longest first
  bool by_line = false;            // for want of a common build
  double covered = 0.0;            // share of the first table's time
  std::size_t other_visits = 0;    // regions left out because they were visited another number of times
};

// The tables must outlive the answer. Requires: at least one table, all with points (no file of
// SimGrid).
AlignedRegions align_regions(const std::vector<region::SlowdownTable>& tables);

// Times of the rows in one table, alone or with the most co-runners, for as many visits as in the
// first table. A median of fewer than two repetitions has an infinite error.
std::vector<Timed> times_of(const AlignedRegions& aligned, std::size_t table, Corunners corunners);

// SimGrid's ratios for runs recorded where the first table was, predicted for cores as where the
// second was: 1 / R_P, all ranks together.
region::SlowdownTable speed_adjustments(const AlignedRegions& aligned, const region::SlowdownTable& first);

} // namespace farcast::study
