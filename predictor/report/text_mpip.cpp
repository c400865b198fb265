// mpiP 3.5's header and aggregate sections: same headings, column names, units and widths.
// Source: mpiP's user guide, section "mpiP Output".
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"
#include "predictor/report/top_entries.h"

#include <fmt/format.h>
#include <iterator>

namespace farcast::report {
namespace {

void append_header_line(std::string& out, const char* name, const std::string& value) {
  fmt::format_to(std::back_inserter(out), "@ {:<25}: {}\n", name, value);
}

std::size_t listed_ranks(const RunSummary& run, const TextOptions& options) {
  const std::size_t ranks = run.ranks.size();
  return options.full || ranks <= options.max_ranks + 1 ? ranks : options.max_ranks;
}

void append_mpi_time(std::string& out, const RunSummary& run, const RunTotal& total, std::size_t listed) {
  append_heading(out, "MPI Time (seconds)");
  fmt::format_to(std::back_inserter(out), "{:<4} {:>10} {:>10}    {:>5}\n", "Task", "AppTime", "MPITime", "MPI%");
  const auto row = [&](const std::string& task, base::Seconds app, base::Seconds mpi) {
    fmt::format_to(std::back_inserter(out), "{:>4} {:>10.3g} {:>10.3g}    {:>5.2f}\n", task, app.value(), mpi.value(),
                   percent(mpi.value(), app.value()));
  };
  for (std::size_t rank = 0; rank < listed; ++rank)
    row(fmt::format("{}", rank), run.ranks[rank].app_time, run.ranks[rank].mpi_time);
  row("*", total.app_time, total.mpi_time);
}

void append_aggregate_time(std::string& out, const RunSummary& run, const std::vector<SiteTotal>& totals, const RunTotal& whole) {
  append_heading(out, "Aggregate Time (top twenty, descending, milliseconds)");
  fmt::format_to(std::back_inserter(out), "{:<20} {:>4} {:>10} {:>7} {:>7} {:>10} {:>6}\n", "Call", "Site", "Time", "App%",
                 "MPI%", "Count", "COV");
  for (const std::size_t site : top_sites_by_time(totals, kTopSites)) {
    const double seconds = totals[site].time.total.value();
    fmt::format_to(std::back_inserter(out), "{:<20} {:>4} {:>10.3g} {:>7.2f} {:>7.2f} {:>10} {:>6.2f}\n",
                   call_name(run.sites[site].mpi_function), site, seconds * 1e3, percent(seconds, whole.app_time.value()),
                   percent(seconds, whole.mpi_time.value()), totals[site].time.count, totals[site].cov);
  }
}

void append_aggregate_sent(std::string& out, const RunSummary& run, const std::vector<SiteTotal>& totals, const RunTotal& whole) {
  if (whole.sent.value() <= 0.0) return;
  append_heading(out, "Aggregate Sent Message Size (top twenty, descending, bytes)");
  fmt::format_to(std::back_inserter(out), "{:<20} {:>4} {:>10} {:>10} {:>10} {:>6}\n", "Call", "Site", "Count", "Total", "Avrg",
                 "Sent%");
  for (const std::size_t site : top_sites_by_sent(totals, kTopSites)) {
    const Spread<base::Bytes>& sent = totals[site].sent;
    fmt::format_to(std::back_inserter(out), "{:<20} {:>4} {:>10} {:>10.3g} {:>10.3g} {:>6.2f}\n",
                   call_name(run.sites[site].mpi_function), site, sent.count, sent.total.value(), sent.mean().value(),
                   percent(sent.total.value(), whole.sent.value()));
  }
}

} // namespace

void append_mpip_header(std::string& out, const RunSummary& run, const TextOptions& options) {
  fmt::format_to(std::back_inserter(out), "@ farcast\n@ Command : {}\n", run.program);
  append_header_line(out, "Version", run.farcast_version);
  append_header_line(out, "Executable", run.executable);
  append_header_line(out, "MPI library",
                     fmt::format("{} ({})", run.mpi_library, run.mpi_version.substr(0, run.mpi_version.find('\n'))));
  append_header_line(out, "Start time", run.start_date);
  append_header_line(out, "MPI calls recorded", fmt::format("{}", run.recorded));
  append_header_line(out, "MPI calls refused", fmt::format("{}", run.refused));
  const std::size_t listed = listed_ranks(run, options);
  for (std::size_t rank = 0; rank < listed; ++rank)
    append_header_line(out, "MPI Task Assignment", fmt::format("{} {}", rank, run.ranks[rank].host));
  if (listed < run.ranks.size())
    append_header_line(out, "MPI Tasks not listed", fmt::format("{}-{} (--full lists them)", listed, run.ranks.size() - 1));
  out += '\n';
}

void append_mpip_sections(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                          const TextOptions& options) {
  const std::vector<SiteTotal> totals = site_totals(run);
  const RunTotal whole = run_total(run, totals);
  append_mpi_time(out, run, whole, listed_ranks(run, options));
  append_callsites(out, run, predictions, options);
  append_aggregate_time(out, run, totals, whole);
  append_aggregate_sent(out, run, totals, whole);
  if (options.full) append_mpip_site_statistics(out, run);
}

} // namespace farcast::report
