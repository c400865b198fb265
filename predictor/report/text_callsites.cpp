// mpiP 3.5's list of call sites, with one line per level of the stack; the numbers in other
// sections refer to it.
// Source: mpiP's user guide, section "mpiP Output"; as there, deeper levels repeat the number and
// leave the call out.
#include "predictor/base/base_name.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"
#include "predictor/report/top_entries.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace farcast::report {
namespace {

constexpr std::size_t kShortFunctionColumns = 32;

struct SiteRow {
  std::size_t site;
  std::size_t level;
  std::string place;
  std::string line;
  std::string function;
  std::string call;
};

// mpiP prints an address without a line where it has no source; our text there is symbol+offset,
// kept as one word.
std::string place_of(const std::string& file, int line, const std::string& text) {
  if (line != 0) return base::base_name(file);
  std::string word = text.empty() ? "[unknown]" : text;
  std::replace(word.begin(), word.end(), ' ', '_');
  return word;
}

// Level is SiteInfo (the call itself) or SiteLevel (its callers).
template <class Level> SiteRow row_of(std::size_t site, std::size_t number, const Level& level, bool full) {
  const std::string function = level.function.empty() ? "[unknown]" : level.function;
  return {site,
          number,
          place_of(level.file, level.line, level.text),
          level.line == 0 ? "" : fmt::format("{}", level.line),
          full ? function : cut_end(function, kShortFunctionColumns),
          ""};
}

std::vector<SiteRow> rows_of(const RunSummary& run, const std::set<std::size_t>& listed, bool full) {
  std::vector<SiteRow> rows;
  for (const std::size_t site : listed) {
    const SiteInfo& info = run.sites[site];
    rows.push_back(row_of(site, 0, info, full));
    rows.back().call = call_name(info.mpi_function);
    for (std::size_t caller = 0; caller < info.callers.size(); ++caller)
      rows.push_back(row_of(site, caller + 1, info.callers[caller], full));
  }
  return rows;
}

} // namespace

void append_callsites(std::string& out, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                      const TextOptions& options) {
  const std::vector<SiteTotal> totals = site_totals(run);
  const auto called = std::count_if(totals.begin(), totals.end(), [](const SiteTotal& total) { return total.time.count > 0; });
  const std::set<std::size_t> listed = listed_sites(run, totals, predictions, options);
  const std::vector<SiteRow> rows = rows_of(run, listed, options.full);
  std::size_t place_columns = 15;
  std::size_t function_columns = 25;
  for (const SiteRow& row : rows) {
    place_columns = std::max(place_columns, std::min<std::size_t>(row.place.size(), 40));
    function_columns = std::max(function_columns, std::min<std::size_t>(row.function.size(), 60));
  }
  append_heading(out, fmt::format("Callsites: {}", called));
  fmt::format_to(std::back_inserter(out), "{:>3} {:>3} {:<{}} {:>4} {:<{}} {}\n", "ID", "Lev", "File/Address", place_columns,
                 "Line", "Parent_Funct", function_columns, "MPI_Call");
  for (const SiteRow& row : rows) {
    fmt::format_to(std::back_inserter(out), "{:>3} {:>3} {:<{}} {:>4} ", row.site, row.level, row.place, place_columns, row.line);
    if (row.call.empty())
      fmt::format_to(std::back_inserter(out), "{}\n", row.function);
    else
      fmt::format_to(std::back_inserter(out), "{:<{}} {}\n", row.function, function_columns, row.call);
  }
  const auto hidden = static_cast<std::size_t>(called) - listed.size();
  if (hidden > 0) fmt::format_to(std::back_inserter(out), "({} more with --full)\n", hidden);
}

} // namespace farcast::report
