// Points of a model that was asked in place of a run, as rows of a table: which of them are best in
// what, in which order, and which were impossible. A row has `best` (in what: time, energy, EDP)
// and `front` (no other is at least as good in time and energy).
#pragma once

#include "predictor/base/units.h"
#include "predictor/model/energy_delay.h"
#include "predictor/report/what_if.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace farcast::report {

struct RowCost {
  base::Seconds time;
  std::optional<base::Joules> energy;
};

inline double figure_of(const RowCost& cost, Goal goal) {
  if (goal == Goal::time) return cost.time.value();
  if (!cost.energy) return std::numeric_limits<double>::infinity();
  return goal == Goal::energy ? cost.energy->value() : model::energy_delay(*cost.energy, cost.time).value();
}

// Marks rows and puts the best for the goal first. `cost_of(row)`: its RowCost.
template <class Row, class CostOf> void judge_rows(std::vector<Row>& rows, Goal goal, CostOf cost_of) {
  if (rows.empty()) return;
  std::ranges::min_element(rows, {}, [&](const Row& row) { return cost_of(row).time; })->best.emplace_back("time");
  std::vector<model::RunCost> costs;
  std::vector<std::size_t> with_energy;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowCost cost = cost_of(rows[i]);
    if (!cost.energy) continue;
    with_energy.push_back(i);
    costs.push_back({cost.time, *cost.energy});
  }
  if (const auto best = model::best_runs(costs)) {
    rows[with_energy[best->energy]].best.emplace_back("energy");
    rows[with_energy[best->energy_delay]].best.emplace_back("EDP");
  }
  const std::vector<bool> front = model::pareto_front(costs);
  for (std::size_t i = 0; i < with_energy.size(); ++i) rows[with_energy[i]].front = front[i];
  std::ranges::stable_sort(rows, {}, [&](const Row& row) { return figure_of(cost_of(row), goal); });
}

// Appends a line per reason. `points`: reason -> where each point stands.
void append_impossible(std::string& out, const std::map<std::string, std::vector<std::string>>& points);

} // namespace farcast::report
