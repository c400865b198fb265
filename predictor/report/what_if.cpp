#include "predictor/report/what_if.h"

#include "predictor/model/energy_delay.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace farcast::report {

namespace {

using scenario::Point;

using Coordinates = std::tuple<std::string, int, double, double, double>;

Coordinates coordinates(const Point& point) {
  return {point.platform, point.ranks_per_node, point.frequency ? point.frequency->value() : 0.0, point.bandwidth, point.latency};
}

struct Axis {
  const char* name;
  std::function<void(Point&)> leave_out; // makes points alike that differ in this axis alone
};

const std::array<Axis, 5>& axes() {
  static const std::array<Axis, 5> all = {{{"platform", [](Point& p) { p.platform.clear(); }},
                                           {"ppn", [](Point& p) { p.ranks_per_node = 0; }},
                                           {"frequency", [](Point& p) { p.frequency.reset(); }},
                                           {"bandwidth", [](Point& p) { p.bandwidth = 1.0; }},
                                           {"latency", [](Point& p) { p.latency = 1.0; }}}};
  return all;
}

Coordinates without(const Axis& axis, Point point) {
  axis.leave_out(point);
  return coordinates(point);
}

// The point on the axis alone.
Coordinates on(const Axis& axis, Point point) {
  for (const Axis& other : axes())
    if (&other != &axis) other.leave_out(point);
  return coordinates(point);
}

bool varies(const WhatIf& what, const Axis& axis) {
  return std::any_of(what.points.begin(), what.points.end(),
                     [&](const PointOutcome& one) { return on(axis, one.point) != on(axis, what.points.front().point); });
}

// Whether all points that differ in the axis alone have the same figures, and some points do.
bool has_no_effect(const WhatIf& what, const Axis& axis) {
  std::map<Coordinates, const PointFigures*> first_of;
  bool compared = false;
  for (const PointOutcome& one : what.points) {
    if (!one.figures) continue;
    const auto [found, first] = first_of.emplace(without(axis, one.point), &*one.figures);
    if (first) continue;
    compared = true;
    if (found->second->time != one.figures->time || found->second->energy != one.figures->energy) return false;
  }
  return compared;
}

double cost(const PointFigures& figures, Goal goal) {
  if (goal == Goal::time) return figures.time.value();
  if (!figures.energy) return std::numeric_limits<double>::infinity();
  return goal == Goal::energy ? figures.energy->value() : model::energy_delay(*figures.energy, figures.time).value();
}

} // namespace

PointFigures figures_of(const sim::Prediction& prediction) {
  return {prediction.time, prediction.energy, prediction.nodes_used, prediction.complete};
}

bool WhatIf::interrupted() const {
  return std::any_of(points.begin(), points.end(),
                     [](const PointOutcome& one) { return !one.figures && one.impossible.empty(); });
}

Judgement judge(const WhatIf& what) {
  Judgement out;
  out.front.assign(what.points.size(), false);
  std::vector<std::size_t> with_energy;
  for (std::size_t i = 0; i < what.points.size(); ++i) {
    if (!what.points[i].figures) continue;
    out.order.push_back(i);
    if (what.points[i].figures->energy) with_energy.push_back(i);
  }
  const auto figures = [&](std::size_t i) -> const PointFigures& { return *what.points[i].figures; };
  const auto by = [&](Goal goal) { return [&figures, goal](std::size_t i) { return std::pair(cost(figures(i), goal), i); }; };
  if (!out.order.empty()) out.best_time = *std::ranges::min_element(out.order, {}, by(Goal::time));
  std::vector<model::RunCost> costs;
  for (const std::size_t i : with_energy) costs.push_back({figures(i).time, *figures(i).energy});
  if (const auto best = model::best_runs(costs)) {
    out.best_energy = with_energy[best->energy];
    out.best_edp = with_energy[best->energy_delay];
  }
  const std::vector<bool> front = model::pareto_front(costs);
  for (std::size_t i = 0; i < with_energy.size(); ++i) out.front[with_energy[i]] = front[i];
  std::ranges::sort(out.order, {}, by(what.goal));
  for (const Axis& axis : axes()) {
    if (!varies(what, axis)) continue;
    out.varying.emplace_back(axis.name);
    if (has_no_effect(what, axis)) out.no_effect.emplace_back(axis.name);
  }
  return out;
}

} // namespace farcast::report
