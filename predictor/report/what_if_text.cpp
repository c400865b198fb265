#include "predictor/base/format.h"
#include "predictor/model/energy_delay.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/what_if.h"
#include "predictor/report/what_if_balance.h"
#include "predictor/report/what_if_remarks.h"
#include "predictor/report/what_if_rows.h"
#include "predictor/report/what_if_sure.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <set>

namespace farcast::report {

namespace {

using scenario::Point;

// "solver.c:120=2 solver.c:130=1"
std::string speedups_of(const WhatIf& what, const Point& point) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < what.sites.size(); ++i) out.push_back(fmt::format("{}={}", what.sites[i], point.speedups[i]));
  return fmt::format("{}", fmt::join(out, " "));
}

std::vector<std::string> best_in(const Judgement& judged, std::size_t point) {
  std::vector<std::string> out;
  if (judged.best_time == point) out.emplace_back("time");
  if (judged.best_energy == point) out.emplace_back("energy");
  if (judged.best_edp == point) out.emplace_back("EDP");
  return out;
}

using Row = TableRow;

Row header_of(const WhatIf& what, const Judgement& judged) {
  Row out = judged.varying;
  if (what.checkpointing) {
    out.insert(out.end(), {"time", "energy", "nodes"});
    for (std::string& column : expected_columns()) out.push_back(std::move(column));
  } else {
    out.insert(out.end(), {"time", "energy", "avg. power", "EDP", "nodes"});
  }
  if (has_members(what)) out.push_back(sure_column(what));
  out.emplace_back("best");
  return out;
}

Row row_of(const WhatIf& what, const Judgement& judged, std::size_t point) {
  const PointFigures& figures = *what.points[point].figures;
  const std::optional<base::Joules> energy = figures.all_energy();
  Row row;
  for (const std::string& axis : judged.varying) row.push_back(coordinate(what, what.points[point].point, axis));
  row.push_back(base::format_time(figures.time) + (figures.complete ? "" : " !"));
  if (figures.expected) {
    row.push_back(energy ? base::format_energy(*energy) : "unavailable");
  } else if (energy) {
    row.push_back(base::format_energy(*energy));
    row.push_back(figures.time.value() > 0 ? base::format_power(*energy / figures.time) : "-");
    row.push_back(base::format_energy_delay(model::energy_delay(*energy, figures.time).value()));
  } else {
    row.insert(row.end(), {"unavailable", "-", "-"});
  }
  row.push_back(fmt::format("{}", figures.nodes));
  if (figures.expected)
    for (std::string& cell : expected_cells(*figures.expected)) row.push_back(std::move(cell));
  if (has_members(what)) row.push_back(sure_cell(what, judged, point));
  row.push_back(fmt::format("{}{}{}", judged.front[point] ? "* " : "", judged.like_best[point] ? "~ " : "",
                            fmt::join(best_in(judged, point), ", ")));
  return row;
}

// The best for the goal, and the best of each kind wherever they stand.
std::vector<std::size_t> shown(const Judgement& judged, std::size_t rows) {
  std::set<std::size_t> best;
  for (const auto& one : {judged.best_time, judged.best_energy, judged.best_edp})
    if (one) best.insert(*one);
  std::vector<std::size_t> out;
  for (const std::size_t point : judged.order) {
    if (out.size() + best.size() < rows || best.contains(point)) out.push_back(point);
    best.erase(point);
  }
  return out;
}

void append_impossible_points(std::string& out, const WhatIf& what, const Judgement& judged) {
  std::map<std::string, std::vector<std::string>> points; // by reason
  for (const PointOutcome& one : what.points) {
    if (one.impossible.empty()) continue;
    points[one.impossible].push_back(place_of(what, judged, static_cast<std::size_t>(&one - what.points.data())));
  }
  append_impossible(out, points);
}

bool has_links(const WhatIf& what) {
  return std::ranges::any_of(what.points,
                             [](const PointOutcome& one) { return one.figures && one.figures->links > base::Joules(0); });
}

} // namespace

std::string coordinate(const WhatIf& what, const Point& point, const std::string& axis) {
  if (axis == "platform") return short_platform(point.platform);
  if (axis == "ppn") return point.ranks_per_node > 0 ? fmt::format("{}", point.ranks_per_node) : "cores";
  if (axis == "frequency") return point.frequency ? fmt::format("{:g} GHz", point.frequency->value() / 1e9) : "as is";
  if (axis == "mpi-wait") return std::string(sim::name_of(point.wait));
  if (axis == "policy") return std::string(sim::name_of(point.policy));
  if (axis == "balance") return point.even ? "even" : division_name(point.balance);
  const auto site = std::find(what.sites.begin(), what.sites.end(), axis);
  if (site != what.sites.end()) return fmt::format("x{:g}", point.speedups[static_cast<std::size_t>(site - what.sites.begin())]);
  return fmt::format("x{:g}", axis == "bandwidth" ? point.bandwidth : point.latency);
}

std::string place_of(const WhatIf& what, const Judgement& judged, std::size_t point) {
  std::vector<std::string> out;
  for (const std::string& axis : judged.varying)
    out.push_back(fmt::format("{} {}", axis, coordinate(what, what.points[point].point, axis)));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string why_best(const WhatIf& what, const Judgement& judged) {
  if (judged.order.size() < 2) return "";
  const std::size_t best = judged.order.front();
  const bool by_time = what.goal == Goal::time;
  const std::optional<std::size_t> rival = by_time ? judged.best_energy : judged.best_time;
  const bool other_kind = rival && *rival != best;
  const std::size_t other = other_kind ? *rival : judged.order[1];
  const std::string other_is = other_kind ? fmt::format("best in {}", name_of(by_time ? Goal::energy : Goal::time)) : "the next";
  const auto spending = [&](std::size_t point) {
    const PointFigures& figures = *what.points[point].figures;
    return Spending{place_of(what, judged, point), figures.time, figures.all_energy(), figures.time_parts, figures.energy_parts};
  };
  return why_best(name_of(what.goal), by_time, spending(best), spending(other), other_is);
}

std::string what_if_text(const WhatIf& what, std::size_t rows) {
  const Judgement judged = judge(what);
  std::string out;
  append_wrapped(out, "farcast: ", fmt::format("what if: {}, {} ranks", what.program, what.ranks));
  out += '\n';
  const std::vector<std::size_t> points = shown(judged, rows);
  std::vector<Row> table{header_of(what, judged)};
  for (const std::size_t point : points) table.push_back(row_of(what, judged, point));
  if (!points.empty()) append_table(out, table);
  out += '\n';
  if (points.size() < judged.order.size())
    append_wrapped(out, "  ",
                   fmt::format("and {} points more, no better in {} (--csv FILE or --json FILE has all)",
                               judged.order.size() - points.size(), name_of(what.goal)));
  if (judged.best_energy)
    append_wrapped(out, "  ",
                   fmt::format("* no other point is at least as good in {0}time and in {0}energy, and better in one of them",
                               what.checkpointing ? "expected " : ""));
  if (const std::string why = what.checkpointing ? "" : why_best(what, judged); !why.empty()) append_wrapped(out, "  ", why);
  if (has_links(what))
    append_wrapped(out, "  ", "energy, power and EDP: of nodes and, where the platform has their watts, of links");
  append_sure(out, what, judged);
  append_balance(out, what, judged);
  if (what.checkpointing) append_wrapped(out, "  ", expected_legend(*what.checkpointing));
  const auto unpaid = std::ranges::count_if(judged.order, [&](std::size_t i) {
    const std::optional<ExpectedFigures>& expected = what.points[i].figures->expected;
    return expected && expected->time_without < expected->time;
  });
  if (unpaid > 0) append_wrapped(out, "  ", unpaid_sentence(static_cast<std::size_t>(unpaid), judged.order.size()));
  const auto incomplete = [](const PointOutcome& one) { return one.figures && !one.figures->complete; };
  if (std::any_of(what.points.begin(), what.points.end(), incomplete))
    append_wrapped(out, "  ", "! a rank stopped short or was blocked for good: farcast predict says why");
  for (const std::string& axis : judged.no_effect)
    append_wrapped(out, "  ", fmt::format("no effect: {} (points that differ in it alone take the same time and energy)", axis));
  append_impossible_points(out, what, judged);
  append_remarks(out, what, judged);
  if (what.lacks_members && !what.interrupted())
    append_wrapped(out, "  ", "INTERRUPTED: how sure the points are was not finished");
  if (what.interrupted()) {
    const auto unplayed = std::count_if(what.points.begin(), what.points.end(),
                                        [](const PointOutcome& one) { return !one.figures && one.impossible.empty(); });
    append_wrapped(out, "  ",
                   fmt::format("INTERRUPTED: {} of {} points were not finished and are not shown", unplayed, what.points.size()));
  }
  return out;
}

std::string what_if_csv(const WhatIf& what) {
  const Judgement judged = judge(what);
  std::string out = "platform,ppn,frequency_ghz,bandwidth,latency,mpi_wait,policy,speedups,time_s,energy_j,average_power_w,edp_"
                    "js,nodes,complete,best,front,"
                    "impossible";
  const bool links = has_links(what);
  out += (what.checkpointing ? expected_csv_columns() : "") + (what.balanced ? ",balance" : "") + (what.even ? ",even" : "") +
         (links ? ",links_energy_j" : "") + sure_csv_columns() + "\n";
  const auto add = [&](std::size_t i) {
    const Point& point = what.points[i].point;
    const std::optional<PointFigures>& figures = what.points[i].figures;
    const std::string of_links = !links ? "" : figures ? fmt::format(",{}", figures->links.value()) : ",";
    const std::string balance = (what.balanced ? fmt::format(",{}", point.balance) : "") +
                                (what.even ? point.even ? ",1" : ",0" : "") + of_links + sure_csv_cells(what, judged, i);
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},", in_csv_quotes(point.platform),
                   point.ranks_per_node > 0 ? fmt::format("{}", point.ranks_per_node) : "",
                   point.frequency ? fmt::format("{}", point.frequency->value() / 1e9) : "", point.bandwidth, point.latency,
                   sim::name_of(point.wait), sim::name_of(point.policy), in_csv_quotes(speedups_of(what, point)));
    if (!figures) {
      fmt::format_to(std::back_inserter(out), ",,,,,,,,{}{}\n", in_csv_quotes(what.points[i].impossible),
                     (what.checkpointing ? expected_csv_cells(nullptr) : "") + balance);
      return;
    }
    const std::string energy =
        figures->energy
            ? fmt::format("{},{},{}", figures->energy->value(),
                          figures->time.value() > 0 ? fmt::format("{}", (*figures->energy / figures->time).value()) : "",
                          model::energy_delay(*figures->all_energy(), figures->time).value())
            : ",,";
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{}\n", figures->time.value(), energy, figures->nodes,
                   figures->complete ? 1 : 0, fmt::join(best_in(judged, i), " "), judged.front[i] ? 1 : 0,
                   (figures->expected ? expected_csv_cells(&*figures->expected) : "") + balance);
  };
  for (const std::size_t i : judged.order) add(i);
  for (std::size_t i = 0; i < what.points.size(); ++i)
    if (!what.points[i].impossible.empty()) add(i);
  return out;
}

Json what_if_json(const WhatIf& what) {
  const Judgement judged = judge(what);
  Json points = Json::array();
  std::vector<std::size_t> place(what.points.size()); // in the list
  const auto add = [&](std::size_t i) {
    place[i] = points.size();
    const Point& point = what.points[i].point;
    Json entry{{"platform", point.platform},
               {"ppn", point.ranks_per_node > 0 ? Json(point.ranks_per_node) : Json()},
               {"frequency_hz", point.frequency ? Json(point.frequency->value()) : Json()},
               {"bandwidth", point.bandwidth},
               {"latency", point.latency},
               {"mpi_wait", sim::name_of(point.wait)},
               {"policy", sim::name_of(point.policy)}};
    entry["speedups"] = Json::object();
    for (std::size_t site = 0; site < what.sites.size(); ++site) entry["speedups"][what.sites[site]] = point.speedups[site];
    if (what.balanced) entry["balance"] = {{"part", point.balance}, {"hosts", hosts_json(what.points[i].balance)}};
    if (what.even) entry["even"] = point.even;
    if (const auto& figures = what.points[i].figures) {
      const bool power = figures->energy && figures->time.value() > 0;
      entry["time_s"] = figures->time.value();
      entry["energy_j"] = figures->energy ? Json(figures->energy->value()) : Json();
      if (figures->links > base::Joules(0)) entry["links_energy_j"] = figures->links.value();
      entry["time_parts"] = parts_json(figures->time_parts, "s");
      entry["energy_parts"] = parts_json(figures->energy_parts, "j");
      entry["average_power_w"] = power ? Json((*figures->energy / figures->time).value()) : Json();
      entry["edp_js"] = figures->energy ? Json(model::energy_delay(*figures->all_energy(), figures->time).value()) : Json();
      entry["nodes"] = figures->nodes;
      entry["complete"] = figures->complete;
      entry["best"] = best_in(judged, i);
      entry["front"] = static_cast<bool>(judged.front[i]);
      if (figures->expected) entry["failures"] = expected_json(*figures->expected);
      add_sure(entry, what, judged, i);
    } else {
      entry["impossible"] = what.points[i].impossible;
    }
    points.push_back(std::move(entry));
  };
  for (const std::size_t i : judged.order) add(i);
  for (std::size_t i = 0; i < what.points.size(); ++i)
    if (!what.points[i].impossible.empty()) add(i);
  Json out{{"schema", "farcast-whatif/1"}, {"program", what.program},           {"ranks", what.ranks},
           {"goal", name_of(what.goal)},   {"interrupted", what.interrupted()}, {"no_effect", judged.no_effect}};
  if (!what.checkpointing) out["why_best"] = why_best(what, judged);
  if (what.checkpointing) out["checkpoints"] = checkpointing_json(*what.checkpointing);
  if (what.balanced) out["balance"] = balance_json(what, judged);
  out["intervals"] = sure_json(what, judged, place);
  add_remarks(out, what, place);
  out["points"] = std::move(points);
  return out;
}

} // namespace farcast::report
