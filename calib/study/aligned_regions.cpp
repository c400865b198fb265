#include "calib/study/aligned_regions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>

namespace farcast::study {

namespace {

constexpr double kSameVisits = 0.01;
constexpr double kMedianError = 1.2533; // of the mean's standard error, for normal noise: sqrt(pi / 2)

using region::RegionSlowdown;
using region::SlowdownTable;

std::string name_of(const SlowdownTable& table, const RegionSlowdown& region) {
  return fmt::format("{} -> {}", table.sites[region.from].text, table.sites[region.to].text);
}

region::SiteKey key_of(const trace::ResolvedSite& site) { return region::key_of_place(site.build_id, site.module, site.offset); }

std::string key_of(const SlowdownTable& table, const RegionSlowdown& region, bool by_line) {
  if (by_line) return name_of(table, region);
  const auto place = [&](std::uint32_t number) {
    const auto [build, offset] = key_of(table.sites[number]);
    std::string text = fmt::format("{}+{:x}", build, offset);
    if (table.callers.empty()) return text;
    for (const auto& [object, at] : table.callers[number]) text += fmt::format("<{}+{:x}", object, at);
    return text;
  };
  return place(region.from) + " " + place(region.to);
}

std::set<std::string> builds_of(const SlowdownTable& table) {
  std::set<std::string> builds;
  for (const trace::ResolvedSite& site : table.sites) builds.insert(key_of(site).first);
  return builds;
}

bool have_common_build(const std::vector<SlowdownTable>& tables) {
  std::set<std::string> common = builds_of(tables.front());
  for (const SlowdownTable& table : tables) {
    const std::set<std::string> builds = builds_of(table);
    std::erase_if(common, [&](const std::string& build) { return builds.count(build) == 0; });
  }
  return !common.empty();
}

// Regions by key; those whose key is not their own are left out.
std::map<std::string, const RegionSlowdown*> by_key(const SlowdownTable& table, bool by_line) {
  std::map<std::string, const RegionSlowdown*> regions;
  for (const RegionSlowdown& region : table.regions) {
    const auto [at, fresh] = regions.emplace(key_of(table, region, by_line), &region);
    if (!fresh) at->second = nullptr;
  }
  std::erase_if(regions, [](const auto& entry) { return entry.second == nullptr; });
  return regions;
}

bool same_visits(const AlignedRegion& row) {
  const auto first = static_cast<double>(row.in.front()->visits);
  return first > 0 && std::all_of(row.in.begin(), row.in.end(), [&](const RegionSlowdown* region) {
           return std::fabs(static_cast<double>(region->visits) - first) <= kSameVisits * first;
         });
}

double error_of(const region::SlowdownPoint& point) {
  return point.samples < 2 ? std::numeric_limits<double>::infinity()
                           : kMedianError * point.spread / std::sqrt(static_cast<double>(point.samples));
}

fit::Estimate time_of(const RegionSlowdown& region, double visits, Corunners corunners) {
  // A number of co-runners that was hardly met has the curve of the one below, and its error.
  const auto met = [](const region::SlowdownPoint& point) { return point.samples > 0; };
  const auto last = std::find_if(region.points.rbegin(), region.points.rend() - 1, met);
  const bool full = corunners == Corunners::full;
  const double seconds = region.alone_s * (full ? region.points.back().slowdown : 1.0);
  const double scaled = seconds * visits / static_cast<double>(region.visits);
  const double error =
      error_of(full ? *last : region.points.front()); // the spread of more co-runners holds that of the work alone
  return {scaled, error * scaled, {scaled * (1 - error), scaled * (1 + error)}};
}

} // namespace

AlignedRegions align_regions(const std::vector<SlowdownTable>& tables) {
  AlignedRegions aligned;
  aligned.by_line = !have_common_build(tables);
  std::vector<std::map<std::string, const RegionSlowdown*>> regions;
  regions.reserve(tables.size());
  for (const SlowdownTable& table : tables) regions.push_back(by_key(table, aligned.by_line));
  double whole = 0.0, covered = 0.0;
  for (const RegionSlowdown& region : tables.front().regions) whole += region.alone_s;
  for (const auto& [key, region] : regions.front()) {
    AlignedRegion row{name_of(tables.front(), *region)};
    for (const auto& others : regions) {
      if (const auto found = others.find(key); found != others.end()) row.in.push_back(found->second);
    }
    const bool timed = std::all_of(row.in.begin(), row.in.end(), [](const auto* in) { return in->alone_s > 0.0; });
    if (row.in.size() < tables.size() || !timed) continue;
    if (!same_visits(row)) {
      ++aligned.other_visits;
      continue;
    }
    covered += region->alone_s;
    aligned.rows.push_back(std::move(row));
  }
  std::stable_sort(aligned.rows.begin(), aligned.rows.end(),
                   [](const auto& a, const auto& b) { return a.in.front()->alone_s > b.in.front()->alone_s; });
  aligned.covered = whole > 0.0 ? covered / whole : 0.0;
  return aligned;
}

std::vector<Timed> times_of(const AlignedRegions& aligned, std::size_t table, Corunners corunners) {
  std::vector<Timed> times;
  for (std::size_t i = 0; i < aligned.rows.size(); ++i) {
    const AlignedRegion& row = aligned.rows[i];
    const RegionSlowdown& region = *row.in[table];
    times.push_back({std::to_string(i), row.name, "", time_of(region, static_cast<double>(row.in.front()->visits), corunners),
                     static_cast<std::size_t>(region.points.front().samples)});
  }
  return times;
}

SlowdownTable speed_adjustments(const AlignedRegions& aligned, const SlowdownTable& first) {
  SlowdownTable table;
  table.source = first.source;
  table.provenance = first.provenance;
  table.sites = first.sites;
  const auto here = times_of(aligned, 0, Corunners::full), there = times_of(aligned, 1, Corunners::full);
  for (std::size_t i = 0; i < aligned.rows.size(); ++i) {
    RegionSlowdown region = *aligned.rows[i].in.front();
    region.points.clear();
    region.divisor = here[i].seconds.value / there[i].seconds.value;
    table.regions.push_back(std::move(region));
  }
  return table;
}

} // namespace farcast::study
