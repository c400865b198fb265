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
#include <numeric>
#include <span>
#include <utility>
#include <vector>

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

// Returns: [run] whether no other is at least as good in time and energy, and better in one of them.
inline std::vector<bool> pareto_front(std::span<const RunCost> runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(runs[i].time.value(), runs[i].energy.value()); });
  std::vector<bool> front(runs.size(), false);
  const RunCost* last = nullptr; // of the front
  for (const std::size_t i : order) {
    const bool same = last != nullptr && runs[i].time == last->time && runs[i].energy == last->energy;
    front[i] = last == nullptr || same || runs[i].energy < last->energy;
    if (front[i]) last = &runs[i];
  }
  return front;
}

// Of equally good ones the first. Errors: no runs.
inline base::Result<BestRuns> best_runs(std::span<const RunCost> runs) {
  if (runs.empty()) return base::fail("there are no runs to choose the best from");
  const auto least = [&](auto cost) { return static_cast<std::size_t>(std::ranges::min_element(runs, {}, cost) - runs.begin()); };
  return BestRuns{least(&RunCost::time), least(&RunCost::energy),
                  least([](const RunCost& run) { return energy_delay(run.energy, run.time); })};
}

} // namespace farcast::model
