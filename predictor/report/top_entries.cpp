#include "predictor/report/top_entries.h"

#include "predictor/report/text_layout.h"

#include <limits>

namespace farcast::report {
namespace {

constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kListedSites = 50;

template <class Weight> std::vector<std::size_t> top_of(std::size_t count, std::size_t limit, Weight weight) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < count; ++i) weights.push_back(weight(i));
  return largest(weights, limit);
}

// The same for what is kept in a map.
template <class Map, class Weight> std::vector<std::uint32_t> top_keys(const Map& map, std::size_t limit, Weight weight) {
  std::vector<std::uint32_t> keys;
  std::vector<double> weights;
  for (const auto& [key, value] : map) {
    keys.push_back(key);
    weights.push_back(weight(value));
  }
  std::vector<std::uint32_t> top;
  for (const std::size_t i : largest(weights, limit)) top.push_back(keys[i]);
  return top;
}

} // namespace

double predicted_seconds(const std::vector<sim::SiteTimes>& ranks) {
  double seconds = 0.0;
  for (const sim::SiteTimes& rank : ranks) seconds += rank.total.value();
  return seconds;
}

double all_predicted_seconds(const sim::Prediction& prediction) {
  constexpr double kRounding = 1.001;
  const double ranks = prediction.time.value() * static_cast<double>(prediction.ranks.size());
  double threads = 0.0;
  for (const auto& [region, times] : prediction.regions) threads += times.predicted.value();
  for (const auto& [site, times] : prediction.sites) threads += predicted_seconds(times);
  return threads > kRounding * ranks ? threads : ranks;
}

std::vector<std::size_t> top_sites_by_time(const std::vector<SiteTotal>& totals, std::size_t limit) {
  return top_of(totals.size(), limit, [&](std::size_t site) { return totals[site].time.total.value(); });
}

std::vector<std::size_t> top_sites_by_sent(const std::vector<SiteTotal>& totals, std::size_t limit) {
  return top_of(totals.size(), limit, [&](std::size_t site) { return totals[site].sent.total.value(); });
}

std::vector<std::uint32_t> top_predicted_sites(const sim::Prediction& prediction, const TextOptions& options) {
  return top_keys(prediction.sites, options.full ? kEverything : kTopSites, predicted_seconds);
}

std::vector<std::uint32_t> top_predicted_regions(const sim::Prediction& prediction, const TextOptions& options) {
  return top_keys(prediction.regions, options.full ? kEverything : options.top_regions,
                  [](const sim::RegionTimes& times) { return times.predicted.value(); });
}

std::vector<std::size_t> top_counted_regions(const RunSummary& run, const TextOptions& options) {
  if (!run.counters || !run.counters->unavailable.empty()) return {};
  const auto& counted = run.counters->regions;
  const auto seconds = [&](std::size_t region) {
    return counted[region].empty() || region >= run.region_stats.size() ? 0.0 : run.region_stats[region].total.value();
  };
  return top_of(counted.size(), options.full ? kEverything : options.top_regions, seconds);
}

std::set<std::size_t> listed_sites(const RunSummary& run, const std::vector<SiteTotal>& totals,
                                   const std::vector<sim::Prediction>& predictions, const TextOptions& options) {
  std::set<std::size_t> called;
  for (std::size_t site = 0; site < totals.size(); ++site)
    if (totals[site].time.count > 0) called.insert(site);
  if (options.full || called.size() <= kListedSites) return called;
  std::set<std::size_t> listed;
  const auto add = [&](std::size_t site) {
    if (called.contains(site)) listed.insert(site);
  };
  const auto add_region = [&](std::size_t region) {
    if (region >= run.regions.size()) return;
    add(run.regions[region].from_site);
    add(run.regions[region].to_site);
  };
  for (const std::size_t site : top_sites_by_time(totals, kListedSites)) add(site);
  for (const std::size_t site : top_sites_by_sent(totals, kTopSites)) add(site);
  for (const std::size_t region : top_counted_regions(run, options)) add_region(region);
  for (const sim::Prediction& prediction : predictions) {
    for (const std::uint32_t site : top_predicted_sites(prediction, options)) add(site);
    for (const std::uint32_t region : top_predicted_regions(prediction, options)) add_region(region);
    for (const sim::Problem& problem : prediction.problems)
      if (problem.site) add(*problem.site);
  }
  return listed;
}

} // namespace farcast::report
