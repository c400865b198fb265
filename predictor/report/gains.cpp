#include "predictor/report/gains.h"

#include "predictor/base/difference.h"
#include "predictor/base/format.h"
#include "predictor/report/site_totals.h"
#include "predictor/report/text_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace farcast::report {

namespace {

// Returns: the platform, and what the point has that is not usual.
std::string name_of(const scenario::Point& point) {
  std::string out = point.platform;
  const auto line = std::back_inserter(out);
  if (point.ranks_per_node > 0) fmt::format_to(line, ", --ppn {}", point.ranks_per_node);
  if (point.frequency) fmt::format_to(line, ", --frequency {:g}", point.frequency->value() / 1e9);
  if (point.bandwidth != 1) fmt::format_to(line, ", --bandwidth x{:g}", point.bandwidth);
  if (point.latency != 1) fmt::format_to(line, ", --latency x{:g}", point.latency);
  if (point.wait != sim::WaitMode::poll) fmt::format_to(line, ", --mpi-wait {}", sim::name_of(point.wait));
  if (point.policy != sim::CollectivePolicy::none) fmt::format_to(line, ", --policy {}", sim::name_of(point.policy));
  return out;
}

std::string deviation(const Gains& point, const Gain& one) {
  if (!one.ninety) return "-";
  const double gain = point.time_s - one.time_s;
  return fmt::format("+-{:.2f}", percent(std::max(one.ninety->high - gain, gain - one.ninety->low), point.time_s));
}

} // namespace

void sort(Gains& gains) {
  std::vector<Gain>& all = gains.gains;
  std::stable_sort(all.begin(), all.end(), [](const Gain& a, const Gain& b) { return a.time_s < b.time_s; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    // As a change of the time as it is, so that what scales both is in neither.
    const auto change = base::interval_of_difference(all[i].time_s, all[i].member_s, gains.time_s, gains.member_s);
    if (change) all[i].ninety = base::Interval{-change->high, -change->low};
    if (i + 1 == all.size()) continue;
    const auto ahead = base::interval_of_difference(all[i + 1].time_s, all[i + 1].member_s, all[i].time_s, all[i].member_s);
    if (ahead) all[i].told_apart = ahead->low > 0;
  }
}

std::string gains_text(const GainsTable& table) {
  std::string out =
      fmt::format("farcast: what would help {} ({} ranks) most, {:g} % better each\n", table.program, table.ranks, table.percent);
  const auto line = std::back_inserter(out);
  for (const Gains& point : table.points) {
    fmt::format_to(line, "\n  {}: {}\n", name_of(point.point), base::format_time(base::Seconds(point.time_s)));
    std::size_t columns = 0;
    for (const Gain& one : point.gains) columns = std::max(columns, one.improvement.what.size());
    const bool sure = !point.member_s.empty();
    fmt::format_to(line, "  {:>10} {:>7} {:>{}}  {:<{}}  {}\n", "gain", "gain%", sure ? "+-" : "", sure ? 7 : 0, "of", columns,
                   "asked of whatif by");
    for (const Gain& one : point.gains) {
      const double gain = point.time_s - one.time_s;
      const std::string text = (gain < 0 ? "-" : "") + base::format_time(base::Seconds(gain < 0 ? -gain : gain));
      fmt::format_to(line, "  {:>10} {:>7.2f} {:>{}}  {:<{}}  {}{}\n", text, percent(gain, point.time_s),
                     sure ? deviation(point, one) : "", sure ? 7 : 0, one.improvement.what, columns, one.improvement.option,
                     one.told_apart.value_or(true) ? "" : "  ~");
    }
    if (sure)
      append_wrapped(
          out, "  ",
          fmt::format("+-: of gain%, 9 of 10 cases, by {} predictions of each with other draws, which are the same for "
                      "all; ~: not told apart from the next",
                      point.member_s.size()));
  }
  return out;
}

Json gains_json(const GainsTable& table) {
  Json points = Json::array();
  for (const Gains& point : table.points) {
    Json gains = Json::array();
    for (const Gain& one : point.gains)
      gains.push_back(Json{{"what", one.improvement.what},
                           {"option", one.improvement.option},
                           {"limit", one.improvement.limit},
                           {"time_s", one.time_s},
                           {"gain_s", point.time_s - one.time_s},
                           {"ninety_s", one.ninety ? Json::array({one.ninety->low, one.ninety->high}) : Json()},
                           {"told_apart", one.told_apart ? Json(*one.told_apart) : Json()}});
    points.push_back(Json{{"platform", point.point.platform},
                          {"point", name_of(point.point)},
                          {"time_s", point.time_s},
                          {"members", point.member_s.size()},
                          {"gains", gains}});
  }
  return Json{{"schema", "farcast-gains/1"},
              {"program", table.program},
              {"ranks", table.ranks},
              {"percent", table.percent},
              {"points", points}};
}

} // namespace farcast::report
