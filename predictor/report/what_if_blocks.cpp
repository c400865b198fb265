#include "predictor/report/what_if_blocks.h"

#include "predictor/base/format.h"
#include "predictor/model/energy_delay.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/what_if_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace farcast::report {

namespace {

using scenario::BlockPoint;

std::optional<base::JouleSeconds> delay_of(const model::BlockRun& run) {
  return run.energy ? std::optional(model::energy_delay(*run.energy, run.time)) : std::nullopt;
}

// Of a process in the mean.
Parts parts_of(const model::BlockRun& run) {
  double computing = 0, messages = 0, waiting = 0;
  for (const model::GroupRun& group : run.groups) {
    const double share = group.processes / run.processes;
    computing += share * group.computing.value();
    messages += share * group.communicating.value();
    waiting += share * (group.waiting + run.time - group.end).value();
  }
  return {{"computing", computing}, {"messages", messages}, {"waiting", waiting}};
}

Parts joules_of(const WhatIfBlocks& what, const model::BlockRun& run) {
  Parts out;
  for (std::size_t i = 0; run.energy && i < run.groups.size(); ++i)
    out.emplace_back(fmt::format("nodes of {}", what.program.groups[i].label), run.groups[i].energy->value());
  return out;
}

struct Axes { // that have several values
  bool platform = false;
  bool per_node = false;
};
Axes axes_of(const WhatIfBlocks& what) {
  std::set<const platform::Platform*> platforms;
  std::set<std::pair<const platform::Platform*, int>> per_node;
  for (const BlockPoint& point : what.points) {
    platforms.insert(point.platform);
    per_node.emplace(point.platform, point.per_node);
  }
  return {platforms.size() > 1, per_node.size() > platforms.size()};
}

// Where a point stands: names and values of the axes.
std::vector<std::pair<std::string, std::string>> place_of(const WhatIfBlocks& what, const Axes& axes, const BlockPoint& point) {
  std::vector<std::pair<std::string, std::string>> out;
  if (axes.platform) out.emplace_back("platform", short_platform(point.platform->name));
  for (std::size_t i = 0; i < what.labels.size(); ++i)
    out.emplace_back(what.labels[i], fmt::format("{:.10g}", point.processes[i]));
  if (axes.per_node) out.emplace_back("ppn", fmt::format("{}", point.per_node));
  return out;
}

std::string words_of(const std::vector<std::pair<std::string, std::string>>& place) {
  std::vector<std::string> out;
  out.reserve(place.size());
  for (const auto& [axis, value] : place) out.push_back(fmt::format("{} {}", axis, value));
  return fmt::format("{}", fmt::join(out, ", "));
}

TableRow text_row(const WhatIfBlocks& what, const Axes& axes, const BlockRow& row) {
  const model::BlockRun& run = row.point->run;
  TableRow out;
  for (auto& [axis, value] : place_of(what, axes, *row.point)) out.push_back(std::move(value));
  const Parts parts = parts_of(run);
  const auto share = [&](std::size_t part) {
    return run.time > base::Seconds(0) ? fmt::format("{:.1f} %", 100 * parts[part].second / run.time.value()) : "-";
  };
  const bool power = run.energy && run.time > base::Seconds(0);
  out.insert(out.end(), {fmt::format("{:.10g}", run.nodes), base::format_time(run.time),
                         run.energy ? base::format_energy(*run.energy) : "unavailable",
                         power ? base::format_power(*run.energy / run.time) : "-",
                         run.energy ? base::format_energy_delay(delay_of(run)->value()) : "-", share(0), share(1), share(2),
                         run.success ? fmt::format("{:.6f}", *run.success) : "unknown",
                         fmt::format("{}{}", row.front ? "* " : "", fmt::join(row.best, ", "))});
  return out;
}

TableRow header_of(const WhatIfBlocks& what, const Axes& axes) {
  TableRow out;
  for (auto& [axis, value] : place_of(what, axes, what.points.front())) out.push_back(std::move(axis));
  for (const char* column :
       {"nodes", "time", "energy", "avg. power", "EDP", "computing", "messages", "waiting", "success", "best"})
    out.emplace_back(column);
  return out;
}

void append_why(std::string& out, const WhatIfBlocks& what, const Axes& axes, const std::vector<BlockRow>& rows) {
  if (rows.size() < 2) return;
  const bool by_time = what.goal == Goal::time;
  const std::string rival = by_time ? "energy" : "time";
  const auto is_rival = [&](const BlockRow& row) { return std::ranges::find(row.best, rival) != row.best.end(); };
  const auto found = std::find_if(rows.begin() + 1, rows.end(), is_rival);
  const BlockRow& other = found != rows.end() ? *found : rows[1];
  const auto spending = [&](const BlockRow& row) {
    const model::BlockRun& run = row.point->run;
    return Spending{words_of(place_of(what, axes, *row.point)), run.time, run.energy, parts_of(run), joules_of(what, run)};
  };
  append_wrapped(out, "  ",
                 why_best(name_of(what.goal), by_time, spending(rows.front()), spending(other),
                          found != rows.end() ? "best in " + rival : "the next"));
}

void append_impossible_points(std::string& out, const WhatIfBlocks& what, const Axes& axes) {
  std::map<std::string, std::vector<std::string>> points; // by reason
  for (const BlockPoint& point : what.points)
    if (!point.impossible.empty()) points[point.impossible].push_back(words_of(place_of(what, axes, point)));
  append_impossible(out, points);
}

} // namespace

std::vector<BlockRow> block_rows(const WhatIfBlocks& what) {
  std::vector<BlockRow> out;
  for (const BlockPoint& point : what.points)
    if (point.impossible.empty()) out.push_back({&point, {}, false});
  judge_rows(out, what.goal, [](const BlockRow& row) { return RowCost{row.point->run.time, row.point->run.energy}; });
  return out;
}

std::string blocks_text(const WhatIfBlocks& what, std::size_t rows) {
  std::string out;
  const Axes axes = axes_of(what);
  const std::vector<BlockRow> all = block_rows(what);
  append_wrapped(out, "farcast: ", fmt::format("what if: program of blocks {}", what.name));
  out += '\n';
  std::vector<TableRow> table{header_of(what, axes)};
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < rows || !all[i].best.empty())
      table.push_back(text_row(what, axes, all[i]));
    else
      ++left_out;
  }
  append_table(out, table);
  out += '\n';
  if (left_out > 0) append_wrapped(out, "  ", fmt::format("and {} points more (--csv FILE or --json FILE has all)", left_out));
  append_wrapped(out, "  ", "* no other point is at least as good in time and in energy, and better in one of them");
  append_why(out, what, axes, all);
  append_impossible_points(out, what, axes);
  append_wrapped(
      out, "  ",
      "By the block formulas of Proficz16 (table 1), with the platforms' parameters: each group has nodes of its own; who "
      "communicates or waits draws as who computes; success: the odds that none of the nodes fails meanwhile. Shares are "
      "those of the time of a process in the mean.");
  return out;
}

std::string blocks_csv(const WhatIfBlocks& what) {
  std::string out = "platform,";
  for (const std::string& label : what.labels) out += in_csv_quotes("processes_" + label) + ",";
  out +=
      "ppn,processes,nodes,time_s,energy_j,average_power_w,edp_js,computing_s,messages_s,waiting_s,success,with_restarts_s,best,"
      "front,impossible\n";
  const auto begin = [&](const BlockPoint& point) {
    out += in_csv_quotes(point.platform->name) + ",";
    for (const double processes : point.processes) fmt::format_to(std::back_inserter(out), "{},", processes);
    fmt::format_to(std::back_inserter(out), "{},", point.per_node);
  };
  const auto figure = [](const auto& value) { return value ? fmt::format("{}", value->value()) : std::string(); };
  for (const BlockRow& row : block_rows(what)) {
    const model::BlockRun& run = row.point->run;
    const Parts parts = parts_of(run);
    const std::string power =
        run.energy && run.time > base::Seconds(0) ? fmt::format("{}", (*run.energy / run.time).value()) : "";
    begin(*row.point);
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},\n", run.processes, run.nodes,
                   run.time.value(), figure(run.energy), power, figure(delay_of(run)), parts[0].second, parts[1].second,
                   parts[2].second, run.success ? fmt::format("{}", *run.success) : "", figure(run.with_restarts),
                   fmt::join(row.best, " "), row.front ? 1 : 0);
  }
  for (const BlockPoint& point : what.points) {
    if (point.impossible.empty()) continue;
    begin(point);
    fmt::format_to(std::back_inserter(out), ",,,,,,,,,,,,,{}\n", in_csv_quotes(point.impossible));
  }
  return out;
}

namespace {

Json entry_of(const WhatIfBlocks& what, const BlockPoint& point) {
  Json processes = Json::object();
  for (std::size_t i = 0; i < what.labels.size(); ++i) processes[what.labels[i]] = point.processes[i];
  return {{"platform", point.platform->name}, {"processes_of", processes}, {"ppn", point.per_node}};
}

Json groups_json(const WhatIfBlocks& what, const model::BlockRun& run) {
  Json out = Json::array();
  for (std::size_t i = 0; i < run.groups.size(); ++i) {
    const model::GroupRun& group = run.groups[i];
    out.push_back({{"group", what.program.groups[i].label},
                   {"processes", group.processes},
                   {"nodes", group.nodes},
                   {"threads_per_node", group.threads},
                   {"computing_s", group.computing.value()},
                   {"messages_s", group.communicating.value()},
                   {"waiting_s", group.waiting.value()},
                   {"end_s", group.end.value()},
                   {"power_w", group.power ? Json(group.power->value()) : Json()},
                   {"energy_j", group.energy ? Json(group.energy->value()) : Json()}});
  }
  return out;
}

} // namespace

Json blocks_json(const WhatIfBlocks& what) {
  Json points = Json::array();
  const auto figure = [](const auto& value) { return value ? Json(value->value()) : Json(); };
  for (const BlockRow& row : block_rows(what)) {
    const model::BlockRun& run = row.point->run;
    Json entry = entry_of(what, *row.point);
    entry["processes"] = run.processes;
    entry["nodes"] = run.nodes;
    entry["time_s"] = run.time.value();
    entry["energy_j"] = figure(run.energy);
    entry["average_power_w"] = run.energy && run.time > base::Seconds(0) ? Json((*run.energy / run.time).value()) : Json();
    entry["edp_js"] = figure(delay_of(run));
    entry["success"] = run.success ? Json(*run.success) : Json();
    entry["with_restarts_s"] = figure(run.with_restarts);
    entry["groups"] = groups_json(what, run);
    entry["best"] = row.best;
    entry["front"] = row.front;
    points.push_back(std::move(entry));
  }
  for (const BlockPoint& point : what.points) {
    if (point.impossible.empty()) continue;
    Json entry = entry_of(what, point);
    entry["impossible"] = point.impossible;
    points.push_back(std::move(entry));
  }
  return Json{{"schema", "farcast-whatif-blocks/1"}, {"program", what.name}, {"points", std::move(points)}};
}

} // namespace farcast::report
