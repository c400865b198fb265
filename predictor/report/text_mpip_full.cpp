// mpiP's long sections: time and sent bytes of every call site, rank by rank.
#include "predictor/report/site_totals.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

namespace farcast::report {
namespace {

// Returns: the called sites in mpiP's order: by call name, then by number.
std::vector<std::size_t> sites_by_call(const RunSummary& run, const std::vector<SiteTotal>& totals) {
  std::vector<std::size_t> sites(totals.size());
  std::iota(sites.begin(), sites.end(), std::size_t{0});
  sites.erase(std::remove_if(sites.begin(), sites.end(), [&](std::size_t site) { return totals[site].time.count == 0; }),
              sites.end());
  std::stable_sort(sites.begin(), sites.end(),
                   [&](std::size_t a, std::size_t b) { return run.sites[a].mpi_function < run.sites[b].mpi_function; });
  return sites;
}

void append_time_row(std::string& out, const std::string& call, std::size_t site, const std::string& rank,
                     const Spread<base::Seconds>& time, base::Seconds app, base::Seconds mpi) {
  fmt::format_to(std::back_inserter(out), "{:<17} {:>4} {:>4} {:>6} {:>8.3g} {:>8.3g} {:>8.3g} {:>6.2f} {:>6.2f}\n", call, site,
                 rank, time.count, time.max.value() * 1e3, time.mean().value() * 1e3, time.min.value() * 1e3,
                 percent(time.total.value(), app.value()), percent(time.total.value(), mpi.value()));
}

void append_sent_row(std::string& out, const std::string& call, std::size_t site, const std::string& rank,
                     const Spread<base::Bytes>& sent) {
  fmt::format_to(std::back_inserter(out), "{:<17} {:>4} {:>4} {:>7} {:>9.4g} {:>9.4g} {:>9.4g} {:>9.4g}\n", call, site, rank,
                 sent.count, sent.max.value(), sent.mean().value(), sent.min.value(), sent.total.value());
}

void append_times(std::string& out, const RunSummary& run, const std::vector<SiteTotal>& totals,
                  const std::vector<std::size_t>& sites) {
  const RunTotal whole = run_total(run, totals);
  std::size_t rows = 0; // mpiP counts the pairs of site and rank
  for (const std::size_t site : sites)
    for (const SiteStats& stats : run.site_stats[site]) rows += stats.time.count > 0 ? 1 : 0;
  append_heading(out, fmt::format("Callsite Time statistics (all, milliseconds): {}", rows));
  fmt::format_to(std::back_inserter(out), "{:<17} {:>4} {:>4} {:>6} {:>8} {:>8} {:>8} {:>6} {:>6}\n", "Name", "Site", "Rank",
                 "Count", "Max", "Mean", "Min", "App%", "MPI%");
  for (const std::size_t site : sites) {
    const std::string call = call_name(run.sites[site].mpi_function);
    for (std::size_t rank = 0; rank < run.site_stats[site].size() && rank < run.ranks.size(); ++rank)
      if (run.site_stats[site][rank].time.count > 0)
        append_time_row(out, call, site, fmt::format("{}", rank), run.site_stats[site][rank].time, run.ranks[rank].app_time,
                        run.ranks[rank].mpi_time);
    append_time_row(out, call, site, "*", totals[site].time, whole.app_time, whole.mpi_time);
    out += '\n';
  }
}

} // namespace

void append_mpip_site_statistics(std::string& out, const RunSummary& run) {
  const std::vector<SiteTotal> totals = site_totals(run);
  const std::vector<std::size_t> sites = sites_by_call(run, totals);
  append_times(out, run, totals, sites);
  if (run_total(run, totals).sent.value() <= 0.0) return;
  append_heading(out, "Callsite Message Sent statistics (all, sent bytes)");
  fmt::format_to(std::back_inserter(out), "{:<17} {:>4} {:>4} {:>7} {:>9} {:>9} {:>9} {:>9}\n", "Name", "Site", "Rank", "Count",
                 "Max", "Mean", "Min", "Sum");
  for (const std::size_t site : sites) {
    if (totals[site].sent.count == 0) continue;
    const std::string call = call_name(run.sites[site].mpi_function);
    for (std::size_t rank = 0; rank < run.site_stats[site].size(); ++rank)
      if (run.site_stats[site][rank].sent.count > 0)
        append_sent_row(out, call, site, fmt::format("{}", rank), run.site_stats[site][rank].sent);
    append_sent_row(out, call, site, "*", totals[site].sent);
    out += '\n';
  }
}

} // namespace farcast::report
