// farcast's own `@` sections: predicted regions and call sites, what is not modelled, problems, overhead.
#include "predictor/base/format.h"
#include "predictor/report/site_totals.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"

#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace farcast::report {
namespace {

constexpr std::size_t kTopSites = 20;
constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();

double all_rank_seconds(const sim::Prediction& prediction) {
  return prediction.time.value() * static_cast<double>(prediction.ranks.size());
}

std::string or_unavailable(bool available, const std::string& text) { return available ? text : "unavailable"; }

std::string per_rank_overhead(const std::vector<base::Seconds>& per_rank) {
  Spread<base::Seconds> spread;
  for (const base::Seconds seconds : per_rank)
    spread.add(seconds);
  return or_unavailable(spread.count > 0, fmt::format("min {}, mean {}, max {}", base::format_time(spread.min),
                                                      base::format_time(spread.mean()), base::format_time(spread.max)));
}

} // namespace

void append_predicted_regions(std::string& out, const RunSummary& run, const sim::Prediction& prediction,
                              const TextOptions& options) {
  std::vector<std::uint32_t> ids;
  std::vector<double> seconds;
  for (const auto& [region, times] : prediction.regions) {
    ids.push_back(region);
    seconds.push_back(times.predicted.value());
  }
  const std::vector<std::size_t> top = largest(seconds, options.full ? kEverything : options.top_regions);
  if (top.empty())
    return;
  append_heading(
      out, fmt::format("Predicted Regions on {} (top {} of {})", short_platform(prediction.platform), top.size(), ids.size()));
  fmt::format_to(std::back_inserter(out), "{:>10} {:>10} {:>10} {:>6}  {}\n", "Visits", "Measured", "Predicted", "Time%",
                 "From -> To (computation between two MPI calls)");
  for (const std::size_t i : top) {
    const sim::RegionTimes& times = prediction.regions.at(ids[i]);
    fmt::format_to(std::back_inserter(out), "{:>10} {:>10} {:>10} {:>6.2f}  {}\n", times.visits,
                   base::format_time(times.measured), base::format_time(times.predicted),
                   percent(seconds[i], all_rank_seconds(prediction)), region_name(ids[i], run.regions, run.sites));
  }
}

void append_predicted_sites(std::string& out, const RunSummary& run, const sim::Prediction& prediction,
                            const TextOptions& options) {
  std::vector<std::uint32_t> ids;
  std::vector<double> seconds;
  std::vector<std::uint64_t> counts;
  for (const auto& [site, ranks] : prediction.sites) {
    ids.push_back(site);
    seconds.push_back(0.0);
    counts.push_back(0);
    for (const sim::SiteTimes& rank : ranks) {
      seconds.back() += rank.total.value();
      counts.back() += rank.count;
    }
  }
  const std::vector<std::size_t> top = largest(seconds, options.full ? kEverything : kTopSites);
  if (top.empty())
    return;
  const std::vector<SiteTotal> measured = site_totals(run);
  append_heading(
      out, fmt::format("Predicted Callsites on {} (top {} of {})", short_platform(prediction.platform), top.size(), ids.size()));
  fmt::format_to(std::back_inserter(out), "{:<20} {:>4} {:>10} {:>10} {:>10} {:>6}  {}\n", "Call", "Site", "Count", "Measured",
                 "Predicted", "Time%", "Where");
  for (const std::size_t i : top) {
    const std::uint32_t site = ids[i];
    const bool known = site < run.sites.size();
    fmt::format_to(std::back_inserter(out), "{:<20} {:>4} {:>10} {:>10} {:>10} {:>6.2f}  {}\n",
                   known ? call_name(run.sites[site].mpi_function) : "[unknown]", site, counts[i],
                   known ? base::format_time(measured[site].time.total) : "-", base::format_time(base::Seconds(seconds[i])),
                   percent(seconds[i], all_rank_seconds(prediction)), site_name(site, run.sites));
  }
}

void append_unmodelled(std::string& out, const RunSummary& run) {
  if (run.unmodelled.empty())
    return;
  append_heading(out, fmt::format("Not Modelled: {} (taken at their measured time)", run.unmodelled.size()));
  fmt::format_to(std::back_inserter(out), "{:<32} {:>10} {:>10}\n", "Call", "Count", "Time");
  for (const auto& [function, taken] : run.unmodelled)
    fmt::format_to(std::back_inserter(out), "{:<32} {:>10} {:>10}\n", call_name(function), taken.count,
                   base::format_time(taken.time));
}

void append_problems(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions) {
  std::size_t count = run.refused > 0 ? 1 : 0;
  for (const sim::Prediction& prediction : predictions)
    count += prediction.problems.size();
  if (count == 0)
    return;
  append_heading(out, fmt::format("Problems: {}", count));
  if (run.refused > 0)
    append_wrapped(
        out, "- ",
        fmt::format("{} of {} MPI calls were not recorded; the prediction lacks them.", run.refused, run.recorded + run.refused));
  for (const sim::Prediction& prediction : predictions)
    for (const std::string& problem : prediction.problems)
      append_wrapped(out, "- ", fmt::format("{}: {}", prediction.platform, problem));
}

void append_overhead(std::string& out, const RunSummary& run) {
  const Overhead& overhead = run.overhead;
  append_heading(out, "Overhead of farcast");
  const auto line = [&](const char* name, const std::string& value) {
    fmt::format_to(std::back_inserter(out), "{:<39}: {}\n", name, value);
  };
  line("Recording one call",
       or_unavailable(overhead.per_call.has_value(), base::format_time(overhead.per_call.value_or(base::Seconds(0.0)))));
  line("Recording, per rank", per_rank_overhead(overhead.per_rank));
  line("Share of the wall time",
       or_unavailable(overhead.share_of_wall.has_value(), base::format_share(overhead.share_of_wall.value_or(0.0), 1.0)));
  line(
      "Predictor CPU time while ranks computed",
      or_unavailable(overhead.predictor_cpu.has_value(), base::format_time(overhead.predictor_cpu.value_or(base::Seconds(0.0)))));
  line("Records not yet played at MPI_Finalize",
       or_unavailable(overhead.backlog_records.has_value(), fmt::format("{}", overhead.backlog_records.value_or(0))));
}

} // namespace farcast::report
