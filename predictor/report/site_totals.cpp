#include "predictor/report/site_totals.h"

#include <cmath>

namespace farcast::report {
namespace {

double variation_of(const std::vector<SiteStats>& ranks, double total, std::size_t callers) {
  if (callers < 2 || total <= 0.0) return 0.0;
  const double mean = total / static_cast<double>(callers);
  double squares = 0.0;
  for (const SiteStats& rank : ranks)
    if (rank.time.count > 0) squares += (rank.time.total.value() - mean) * (rank.time.total.value() - mean);
  return std::sqrt(squares / static_cast<double>(callers - 1)) / mean;
}

} // namespace

std::vector<SiteTotal> site_totals(const RunSummary& run) {
  std::vector<SiteTotal> totals(run.sites.size());
  for (std::size_t site = 0; site < totals.size() && site < run.site_stats.size(); ++site) {
    std::size_t callers = 0;
    for (const SiteStats& rank : run.site_stats[site]) {
      totals[site].time.merge(rank.time);
      totals[site].sent.merge(rank.sent);
      callers += rank.time.count > 0 ? 1 : 0;
    }
    totals[site].cov = variation_of(run.site_stats[site], totals[site].time.total.value(), callers);
  }
  return totals;
}

RunTotal run_total(const RunSummary& run, const std::vector<SiteTotal>& sites) {
  RunTotal total;
  for (const RankSummary& rank : run.ranks) {
    total.app_time += rank.app_time;
    total.mpi_time += rank.mpi_time;
  }
  for (const SiteTotal& site : sites) total.sent += site.sent.total;
  return total;
}

std::string call_name(const std::string& mpi_function) {
  return mpi_function.starts_with("MPI_") ? mpi_function.substr(4) : mpi_function;
}

double percent(double part, double whole) { return whole > 0.0 ? 100.0 * part / whole : 0.0; }

} // namespace farcast::report
