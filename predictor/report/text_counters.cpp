// Hardware counters of the computation between calls, by region; a section of its own, only when
// they were asked for.
#include "predictor/base/format.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"
#include "predictor/report/top_entries.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace farcast::report {

void append_counters(std::string& out, const RunSummary& run, const TextOptions& options) {
  if (!run.counters) return;
  const Counters& counters = *run.counters;
  if (!counters.unavailable.empty()) {
    append_heading(out, "Counters per Region");
    append_wrapped(out, "", fmt::format("unavailable: {}", counters.unavailable));
    return;
  }
  const auto counted =
      std::count_if(counters.regions.begin(), counters.regions.end(), [](const auto& sums) { return !sums.empty(); });
  const std::vector<std::size_t> top = top_counted_regions(run, options);
  append_heading(out, fmt::format("Counters per Region (all ranks, top {} of {})", top.size(), counted));
  const auto width = [](const std::string& event) { return std::max<std::size_t>(event.size(), 10); };
  for (const std::string& event : counters.events) fmt::format_to(std::back_inserter(out), "{:>{}} ", event, width(event));
  fmt::format_to(std::back_inserter(out), "{:>10}  {}\n", "Measured", "From -> To (computation between two MPI calls)");
  for (const std::size_t region : top) {
    for (std::size_t event = 0; event < counters.events.size(); ++event) {
      const bool known = event < counters.regions[region].size();
      const std::string sum = known ? fmt::format("{:.4g}", static_cast<double>(counters.regions[region][event])) : "-";
      fmt::format_to(std::back_inserter(out), "{:>{}} ", sum, width(counters.events[event]));
    }
    fmt::format_to(std::back_inserter(out), "{:>10}  {}\n", base::format_time(run.region_stats[region].total),
                   region_name(static_cast<std::uint32_t>(region), run.regions, run.sites));
  }
}

} // namespace farcast::report
