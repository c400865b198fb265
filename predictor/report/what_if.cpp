#include "predictor/report/what_if.h"

#include "predictor/model/energy_delay.h"
#include "predictor/report/what_if_sure.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace farcast::report {

namespace {

using scenario::Point;

struct Axis {
  std::string name;
  std::function<void(Point&)> leave_out; // makes points alike that differ in this axis alone
};

std::vector<Axis> axes_of(const WhatIf& what) {
  std::vector<Axis> all = {{"platform", [](Point& p) { p.platform.clear(); }},
                           {"ppn", [](Point& p) { p.ranks_per_node = 0; }},
                           {"frequency", [](Point& p) { p.frequency.reset(); }},
                           {"bandwidth", [](Point& p) { p.bandwidth = 1.0; }},
                           {"latency", [](Point& p) { p.latency = 1.0; }},
                           {"mpi-wait", [](Point& p) { p.wait = sim::WaitMode::poll; }},
                           {"policy", [](Point& p) { p.policy = sim::CollectivePolicy::none; }},
                           {"balance", [](Point& p) {
                              p.balance = 0.0;
                              p.even = false;
                            }}};
  for (std::size_t i = 0; i < what.sites.size(); ++i) all.push_back({what.sites[i], [i](Point& p) { p.speedups[i] = 1.0; }});
  return all;
}

Coordinates without(const Axis& axis, Point point) {
  axis.leave_out(point);
  return coordinates(point);
}

bool varies(const WhatIf& what, const Axis& axis) {
  std::map<Coordinates, Coordinates> first_of; // of points that differ in the axis alone
  return std::any_of(what.points.begin(), what.points.end(), [&](const PointOutcome& one) {
    return first_of.emplace(without(axis, one.point), coordinates(one.point)).first->second != coordinates(one.point);
  });
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
    if (found->second->judged_time() != one.figures->judged_time() ||
        found->second->judged_energy() != one.figures->judged_energy())
      return false;
  }
  return compared;
}

} // namespace

Coordinates coordinates(const Point& point) {
  return {point.platform,  point.ranks_per_node, point.frequency ? point.frequency->value() : 0.0,
          point.bandwidth, point.latency,        point.wait,
          point.policy,    point.speedups,       point.balance,
          point.even};
}

PointFigures figures_of(const scenario::SweepAnswer& answer) {
  PointFigures out{answer.time, answer.energy, answer.nodes, answer.complete};
  out.time_parts = time_parts(answer.spent);
  if (!out.energy) return out;
  out.links = answer.links;
  out.energy_parts = energy_parts(answer.energy_parts, answer.links);
  return out;
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
    if (what.points[i].figures->judged_energy()) with_energy.push_back(i);
  }
  const auto figures = [&](std::size_t i) -> const PointFigures& { return *what.points[i].figures; };
  const auto by = [&](Goal goal) { return [&figures, goal](std::size_t i) { return std::pair(cost_of(figures(i), goal), i); }; };
  if (!out.order.empty()) out.best_time = *std::ranges::min_element(out.order, {}, by(Goal::time));
  std::vector<model::RunCost> costs;
  costs.reserve(with_energy.size());
  for (const std::size_t i : with_energy) costs.push_back({figures(i).judged_time(), *figures(i).judged_energy()});
  if (const auto best = model::best_runs(costs)) {
    out.best_energy = with_energy[best->energy];
    out.best_edp = with_energy[best->energy_delay];
  }
  const std::vector<bool> front = model::pareto_front(costs);
  for (std::size_t i = 0; i < with_energy.size(); ++i) out.front[with_energy[i]] = front[i];
  std::ranges::sort(out.order, {}, by(what.goal));
  out.base = base_point(what);
  out.like_best.assign(what.points.size(), false);
  for (const std::size_t i : out.order) {
    const auto behind = difference_of(figures(i), figures(out.order.front()), what.goal);
    out.like_best[i] = i != out.order.front() && behind && behind->ninety && !behind->told_apart();
  }
  for (const Axis& axis : axes_of(what)) {
    if (!varies(what, axis)) continue;
    out.varying.push_back(axis.name);
    if (has_no_effect(what, axis)) out.no_effect.push_back(axis.name);
  }
  return out;
}

} // namespace farcast::report
