#include "predictor/report/gains.h"

#include "predictor/base/format.h"
#include "predictor/report/site_totals.h"

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

} // namespace

void sort(Gains& gains) {
  std::stable_sort(gains.gains.begin(), gains.gains.end(), [](const Gain& a, const Gain& b) { return a.time_s < b.time_s; });
}

std::string gains_text(const GainsTable& table) {
  std::string out =
      fmt::format("farcast: what would help {} ({} ranks) most, {:g} % better each\n", table.program, table.ranks, table.percent);
  const auto line = std::back_inserter(out);
  for (const Gains& point : table.points) {
    fmt::format_to(line, "\n  {}: {}\n", name_of(point.point), base::format_time(base::Seconds(point.time_s)));
    std::size_t columns = 0;
    for (const Gain& one : point.gains) columns = std::max(columns, one.improvement.what.size());
    fmt::format_to(line, "  {:>10} {:>7}  {:<{}}  {}\n", "gain", "gain%", "of", columns, "asked of whatif by");
    for (const Gain& one : point.gains) {
      const double gain = point.time_s - one.time_s;
      const std::string text = (gain < 0 ? "-" : "") + base::format_time(base::Seconds(gain < 0 ? -gain : gain));
      fmt::format_to(line, "  {:>10} {:>7.2f}  {:<{}}  {}\n", text, percent(gain, point.time_s), one.improvement.what, columns,
                     one.improvement.option);
    }
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
                           {"gain_s", point.time_s - one.time_s}});
    points.push_back(
        Json{{"platform", point.point.platform}, {"point", name_of(point.point)}, {"time_s", point.time_s}, {"gains", gains}});
  }
  return Json{{"schema", "farcast-gains/1"},
              {"program", table.program},
              {"ranks", table.ranks},
              {"percent", table.percent},
              {"points", points}};
}

} // namespace farcast::report
