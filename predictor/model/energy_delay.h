// The energy-delay product, and which of several runs is the best one.
//
//   EDP = Time * E     Balladini13 eq. (2), in joule seconds
// Runs differ in whatever the caller varied: frequency, nodes, ranks per node. Threads: pure
// functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace farcast::model {

constexpr base::JouleSeconds energy_delay(base::Joules energy, base::Seconds time) { return energy * time; }

struct RunCost {
  base::Seconds time;
  base::Joules energy;
};

struct BestRuns { // indices of runs
  std::size_t time = 0;
  std::size_t energy = 0;
  std::size_t energy_delay = 0;
};

// Of equally good ones the first. Errors: no runs.
inline base::Result<BestRuns> best_runs(std::span<const RunCost> runs) {
  if (runs.empty()) return base::fail("there are no runs to choose the best from");
  const auto least = [&](auto cost) { return static_cast<std::size_t>(std::ranges::min_element(runs, {}, cost) - runs.begin()); };
  return BestRuns{least(&RunCost::time), least(&RunCost::energy),
                  least([](const RunCost& run) { return energy_delay(run.energy, run.time); })};
}

} // namespace farcast::model
