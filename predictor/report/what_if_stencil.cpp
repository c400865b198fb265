#include "predictor/report/what_if_stencil.h"

#include "predictor/base/format.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/what_if_rows.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace farcast::report {

namespace {

using scenario::StencilPoint;

double power_w(const model::SpmdRun& run) { return run.time > base::Seconds(0) ? (run.energy / run.time).value() : 0.0; }

// The rows of one scenario.
std::vector<StencilRow> rows_of(const std::vector<const StencilPoint*>& points, Goal goal) {
  std::vector<StencilRow> out;
  out.reserve(points.size());
  for (const StencilPoint* point : points) out.push_back({point, {}, false});
  judge_rows(out, goal, [](const StencilRow& row) { return RowCost{row.point->run.time, row.point->run.energy}; });
  return out;
}

TableRow text_row(const StencilRow& row) {
  const model::SpmdRun& run = row.point->run;
  return {row.point->scenario,
          fmt::format("{:g} GHz", run.frequency.value() / 1e9),
          fmt::format("{:.6g}{}", run.tiles, row.point->grid_is_smaller ? " !" : ""),
          fmt::format("{:.6g}", run.cores),
          fmt::format("{:g}", row.point->nodes),
          base::format_time(run.time),
          base::format_energy(run.energy),
          base::format_power(base::Watts(power_w(run))),
          base::format_energy_delay(run.energy_delay.value()),
          base::format_share(std::min(row.point->iteration.internal, row.point->iteration.communication).value(),
                             row.point->iteration.communication.value()),
          fmt::format("{}{}", row.front ? "* " : "", fmt::join(row.best, ", "))};
}

} // namespace

std::vector<StencilRow> stencil_rows(const WhatIfStencil& what) {
  std::vector<StencilRow> out;
  for (auto first = what.points.begin(); first != what.points.end();) {
    const auto end =
        std::find_if(first, what.points.end(), [&](const StencilPoint& one) { return one.scenario != first->scenario; });
    std::vector<const StencilPoint*> points;
    for (; first != end; ++first) points.push_back(&*first);
    std::ranges::move(rows_of(points, what.goal), std::back_inserter(out));
  }
  return out;
}

std::string stencil_text(const WhatIfStencil& what, std::size_t rows) {
  std::string out;
  append_wrapped(out, "farcast: ",
                 fmt::format("what if: stencil {}, {:g} tiles along each of {} dimensions, {:g} iterations", what.name,
                             what.program.side_tiles, what.program.dimensions, what.program.iterations));
  out += '\n';
  std::vector<TableRow> table{
      {"scenario", "frequency", "K", "cores", "nodes", "time", "energy", "avg. power", "EDP", "overlapped", "best"}};
  std::size_t in_scenario = 0, left_out = 0;
  const StencilPoint* before = nullptr;
  for (const StencilRow& row : stencil_rows(what)) {
    in_scenario = before != nullptr && before->scenario == row.point->scenario ? in_scenario + 1 : 1;
    before = row.point;
    if (in_scenario <= rows || !row.best.empty())
      table.push_back(text_row(row));
    else
      ++left_out;
  }
  append_table(out, table);
  out += '\n';
  if (left_out > 0) append_wrapped(out, "  ", fmt::format("and {} points more (--csv FILE or --json FILE has all)", left_out));
  append_wrapped(out, "  ",
                 "* no other point of the scenario is at least as good in time and in energy, and better in one of them");
  append_wrapped(
      out, "  ",
      fmt::format("K: tiles along each dimension of the supertile that a core computes{}; cores: (M / K)^n, which need "
                  "not be whole; overlapped: the share of the communication that inner tiles hide (Balladini13).",
                  what.ideal ? ", here as large as its frequency makes it ideal, eq. (7)" : ""));
  if (std::any_of(what.points.begin(), what.points.end(), [](const StencilPoint& one) { return one.grid_is_smaller; }))
    append_wrapped(out, "  ", "! the ideal supertile is larger than the grid, which one core has");
  return out;
}

std::string stencil_csv(const WhatIfStencil& what) {
  std::string out = "scenario,frequency_ghz,tiles,cores,nodes,time_s,energy_j,average_power_w,edp_js,edge_s,internal_s,"
                    "communication_s,best,front\n";
  for (const StencilRow& row : stencil_rows(what)) {
    std::string name = "\"";
    for (const char c : row.point->scenario) name += c == '"' ? std::string("\"\"") : std::string(1, c);
    const model::SpmdRun& run = row.point->run;
    const model::SpmdIteration& spent = row.point->iteration;
    fmt::format_to(std::back_inserter(out), "{}\",{},{},{},{},{},{},{},{},{},{},{},{},{}\n", name, run.frequency.value() / 1e9,
                   run.tiles, run.cores, row.point->nodes, run.time.value(), run.energy.value(), power_w(run),
                   run.energy_delay.value(), spent.edge.value(), spent.internal.value(), spent.communication.value(),
                   fmt::join(row.best, " "), row.front ? 1 : 0);
  }
  return out;
}

Json stencil_json(const WhatIfStencil& what) {
  Json points = Json::array();
  for (const StencilRow& row : stencil_rows(what)) {
    const model::SpmdRun& run = row.point->run;
    const model::SpmdIteration& spent = row.point->iteration;
    points.push_back(
        {{"scenario", row.point->scenario},
         {"frequency_hz", run.frequency.value()},
         {"tiles", run.tiles},
         {"cores", run.cores},
         {"nodes", row.point->nodes},
         {"time_s", run.time.value()},
         {"energy_j", run.energy.value()},
         {"average_power_w", power_w(run)},
         {"edp_js", run.energy_delay.value()},
         {"iteration_s",
          {{"edge", spent.edge.value()}, {"internal", spent.internal.value()}, {"communication", spent.communication.value()}}},
         {"best", row.best},
         {"front", row.front}});
  }
  return Json{{"schema", "farcast-whatif-stencil/1"},  {"stencil", what.name},
              {"dimensions", what.program.dimensions}, {"side_tiles", what.program.side_tiles},
              {"iterations", what.program.iterations}, {"points", std::move(points)}};
}

} // namespace farcast::report
