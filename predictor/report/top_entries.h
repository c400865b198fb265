// Which sites and regions the tables of the text report show: one answer for the tables and for the
// list of call sites that explains their numbers. All are in the order in which the tables print
// them.
#pragma once

#include "predictor/report/site_totals.h"
#include "predictor/report/text.h"

#include <cstdint>
#include <set>
#include <vector>

namespace farcast::report {

std::vector<std::size_t> top_sites_by_time(const std::vector<SiteTotal>& totals, std::size_t limit);
std::vector<std::size_t> top_sites_by_sent(const std::vector<SiteTotal>& totals, std::size_t limit);
std::vector<std::uint32_t> top_predicted_sites(const sim::Prediction& prediction, const TextOptions& options);
std::vector<std::uint32_t> top_predicted_regions(const sim::Prediction& prediction, const TextOptions& options);
std::vector<std::size_t> top_counted_regions(const RunSummary& run, const TextOptions& options);

// Returns: the numbers of the called sites that the list shows: all of them when they are few or
// options.full, else those that the tables and problems name and those with most time.
std::set<std::size_t> listed_sites(const RunSummary& run, const std::vector<SiteTotal>& totals,
                                   const std::vector<sim::Prediction>& predictions, const TextOptions& options);

// Returns: seconds of all ranks.
double predicted_seconds(const std::vector<sim::SiteTimes>& ranks);
// The same of all that they did: from the beginning to the end, or, where several threads of a rank
// compute and call MPI, what regions and calls took in all.
double all_predicted_seconds(const sim::Prediction& prediction);

} // namespace farcast::report
