#include "predictor/report/what_if_balance.h"

#include "predictor/base/format.h"
#include "predictor/report/text_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace farcast::report {

namespace {

double gain_in_time(const WhatIf& what, const BestDivision& division) {
  return what.points[division.recorded].figures->judged_time() / what.points[division.best].figures->judged_time();
}

std::string hosts_text(const scenario::HostKind& kind) {
  return kind.hosts == 1 ? kind.first : fmt::format("{} .. {}", kind.first, kind.last);
}

// "time 2.000 s instead of 3.000 s (1.5 times as fast), energy ..."
std::string change_text(const WhatIf& what, const BestDivision& division) {
  const PointFigures& best = *what.points[division.best].figures;
  const PointFigures& recorded = *what.points[division.recorded].figures;
  std::string out = fmt::format("time {} instead of {} ({:.4g} times as fast)", base::format_time(best.judged_time()),
                                base::format_time(recorded.judged_time()), gain_in_time(what, division));
  if (best.judged_energy() && recorded.judged_energy())
    out += fmt::format(", energy {} instead of {}", base::format_energy(*best.judged_energy()),
                       base::format_energy(*recorded.judged_energy()));
  return out;
}

std::string verdict(const WhatIf& what, const BestDivision& division) {
  const double part = what.points[division.best].point.balance;
  const char* divided = what.payloads_divided ? "computation and point-to-point payloads" : "computation";
  if (part == 0) return fmt::format("the recorded division is the best one, of those of {} that were played", divided);
  return fmt::format("{} divided {} is best: {}", divided,
                     part == 1 ? "in proportion to the hosts' speeds"
                               : division_name(part) + " of the way from as recorded to in proportion to the hosts' speeds",
                     change_text(what, division));
}

TableRow kind_row(const scenario::HostKind& kind) {
  return {hosts_text(kind),
          fmt::format("{}", kind.hosts),
          fmt::format("{}", kind.ranks),
          fmt::format("{:.4g}", kind.speed),
          base::format_share(kind.recorded, 1),
          base::format_share(kind.share, 1),
          base::format_share(kind.share / kind.ranks, 1)};
}

} // namespace

std::vector<BestDivision> best_divisions(const WhatIf& what, const Judgement& judged) {
  if (!what.balanced) return {};
  const auto others = [&](std::size_t i) {
    scenario::Point point = what.points[i].point;
    point.balance = 0;
    return coordinates(point);
  };
  std::map<Coordinates, std::size_t> recorded;
  for (const std::size_t i : judged.order)
    if (what.points[i].point.balance == 0) recorded.emplace(others(i), i);
  std::vector<BestDivision> out;
  for (const std::size_t i : judged.order) {
    const auto base = recorded.find(others(i));
    if (base == recorded.end()) continue;
    out.push_back({i, base->second});
    recorded.erase(base); // later ones are no better
  }
  return out;
}

std::string division_name(double part) {
  return part == 0 ? "recorded" : part == 1 ? "by speed" : fmt::format("{:g} %", 100 * part);
}

void append_balance(std::string& out, const WhatIf& what, const Judgement& judged) {
  const std::vector<BestDivision> divisions = best_divisions(what, judged);
  if (divisions.empty()) return;
  const BestDivision& first = divisions.front();
  const PointOutcome& best = what.points[first.best];
  if (best.balance.kinds.size() < 2)
    return append_wrapped(out, "  balance: ", "all hosts are equally fast, so that every division is the recorded one");
  append_wrapped(
      out, "  balance: ",
      fmt::format("{}. Computation alone, in proportion to the hosts' speeds instead of in equal parts, would be {:.4g} "
                  "times as fast (Soares16).",
                  verdict(what, first), best.balance.computation_gain));
  std::vector<TableRow> table{{"hosts", "nodes", "ranks", "speed", "recorded", "best", "per rank"}};
  for (const scenario::HostKind& kind : best.balance.kinds) table.push_back(kind_row(kind));
  append_table(out, table);
  if (divisions.size() > 1)
    append_wrapped(
        out, "  ",
        fmt::format("and of {} more points that differ in more than the division (--json FILE)", divisions.size() - 1));
}

Json hosts_json(const scenario::Balance& balance) {
  Json out = Json::array();
  for (const scenario::HostKind& kind : balance.kinds)
    out.push_back({{"first", kind.first},
                   {"last", kind.last},
                   {"nodes", kind.hosts},
                   {"ranks", kind.ranks},
                   {"speed", kind.speed},
                   {"recorded_share", kind.recorded},
                   {"share", kind.share}});
  return out;
}

Json balance_json(const WhatIf& what, const Judgement& judged) {
  const auto place = [&](std::size_t point) { return std::ranges::find(judged.order, point) - judged.order.begin(); };
  Json divisions = Json::array();
  for (const BestDivision& division : best_divisions(what, judged))
    divisions.push_back({{"best_point", place(division.best)},
                         {"recorded_point", place(division.recorded)},
                         {"gain", gain_in_time(what, division)},
                         {"computation_gain", what.points[division.best].balance.computation_gain}});
  return Json{{"payloads", what.payloads_divided}, {"divisions", std::move(divisions)}};
}

} // namespace farcast::report
