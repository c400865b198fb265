// farcast's own `@` sections: predicted regions and call sites, what is not modelled, problems,
// overhead.
#include "predictor/base/format.h"
#include "predictor/report/sentences.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"
#include "predictor/report/top_entries.h"

#include <fmt/format.h>
#include <iterator>

namespace farcast::report {
namespace {

// Returns: a part of the prediction's energy; "-" where it has none.
std::string joules(const sim::Prediction& prediction, base::Joules part) {
  return prediction.energy ? base::format_energy(part) : "-";
}

std::string or_unavailable(bool available, const std::string& text) { return available ? text : "unavailable"; }

std::string per_rank_overhead(const std::vector<base::Seconds>& per_rank) {
  Spread<base::Seconds> spread;
  for (const base::Seconds seconds : per_rank) spread.add(seconds);
  return or_unavailable(spread.count > 0, fmt::format("min {}, mean {}, max {}", base::format_time(spread.min),
                                                      base::format_time(spread.mean()), base::format_time(spread.max)));
}

} // namespace

void append_predicted_regions(std::string& out, const RunSummary& run, const sim::Prediction& prediction,
                              const TextOptions& options) {
  const std::vector<std::uint32_t> top = top_predicted_regions(prediction, options);
  if (top.empty()) return;
  append_heading(out, fmt::format("Predicted Regions on {} (top {} of {})", short_platform(prediction.platform), top.size(),
                                  prediction.regions.size()));
  fmt::format_to(std::back_inserter(out), "{:>10} {:>10} {:>10} {:>6} {:>10}  {}\n", "Visits", "Measured", "Predicted", "Time%",
                 "Energy", "From -> To (computation between two MPI calls)");
  const double all = all_predicted_seconds(prediction);
  for (const std::uint32_t region : top) {
    const sim::RegionTimes& times = prediction.regions.at(region);
    fmt::format_to(std::back_inserter(out), "{:>10} {:>10} {:>10} {:>6.2f} {:>10}  {}\n", times.visits,
                   base::format_time(times.measured), base::format_time(times.predicted), percent(times.predicted.value(), all),
                   joules(prediction, times.energy), region_name(region, run.regions, run.sites));
  }
}

void append_predicted_sites(std::string& out, const RunSummary& run, const sim::Prediction& prediction,
                            const TextOptions& options) {
  const std::vector<std::uint32_t> top = top_predicted_sites(prediction, options);
  if (top.empty()) return;
  const std::vector<SiteTotal> measured = site_totals(run);
  append_heading(out, fmt::format("Predicted Callsites on {} (top {} of {})", short_platform(prediction.platform), top.size(),
                                  prediction.sites.size()));
  fmt::format_to(std::back_inserter(out), "{:<20} {:>4} {:>10} {:>10} {:>10} {:>6} {:>10}  {}\n", "Call", "Site", "Count",
                 "Measured", "Predicted", "Time%", "Energy", "Where");
  const double all = all_predicted_seconds(prediction);
  for (const std::uint32_t site : top) {
    const std::vector<sim::SiteTimes>& ranks = prediction.sites.at(site);
    const double seconds = predicted_seconds(ranks);
    std::uint64_t count = 0;
    base::Joules energy{0.0};
    for (const sim::SiteTimes& rank : ranks) {
      count += rank.count;
      energy += rank.energy;
    }
    const bool known = site < run.sites.size();
    fmt::format_to(std::back_inserter(out), "{:<20} {:>4} {:>10} {:>10} {:>10} {:>6.2f} {:>10}  {}\n",
                   known ? call_name(run.sites[site].mpi_function) : "[unknown]", site, count,
                   known ? base::format_time(measured[site].time.total) : "-", base::format_time(base::Seconds(seconds)),
                   percent(seconds, all), joules(prediction, energy), site_text(site, run.sites));
  }
}

void append_unmodelled(std::string& out, const RunSummary& run) {
  if (run.unmodelled.empty()) return;
  append_heading(out, fmt::format("Not Modelled: {} (taken at their measured time)", run.unmodelled.size()));
  fmt::format_to(std::back_inserter(out), "{:<32} {:>10} {:>10}\n", "Call", "Count", "Time");
  for (const auto& [function, taken] : run.unmodelled)
    fmt::format_to(std::back_inserter(out), "{:<32} {:>10} {:>10}\n", call_name(function), taken.count,
                   base::format_time(taken.time));
}

void append_problems(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions) {
  std::size_t count = run.refused > 0 ? 1 : 0;
  for (const sim::Prediction& prediction : predictions) count += prediction.problems.size();
  if (count == 0) return;
  append_heading(out, fmt::format("Problems: {}", count));
  if (run.refused > 0)
    append_wrapped(
        out, "- ",
        fmt::format("{} of {} MPI calls were not recorded; the prediction lacks them.", run.refused, run.recorded + run.refused));
  for (const sim::Prediction& prediction : predictions)
    for (const sim::Problem& problem : prediction.problems)
      append_wrapped(out, "- ", fmt::format("{}: {}", prediction.platform, problem_sentence(problem, run.sites)));
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
  const std::string cpu = base::format_time(overhead.predictor_cpu.value_or(base::Seconds(0.0)));
  line("Predictor CPU time while ranks computed",
       or_unavailable(overhead.predictor_cpu.has_value(), overhead.predictor_shares_cores ? cpu + ", on their cores" : cpu));
  line("Records not yet played at MPI_Finalize",
       or_unavailable(overhead.backlog_records.has_value(), fmt::format("{}", overhead.backlog_records.value_or(0))));
}

} // namespace farcast::report
