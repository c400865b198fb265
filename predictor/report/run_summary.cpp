#include "predictor/report/run_summary.h"

#include <fmt/format.h>
#include <map>

namespace farcast::report {

void mark_shared_texts(std::vector<SiteInfo>& sites) {
  std::map<std::string, std::size_t> places; // text -> sites that have it and a stack
  for (const SiteInfo& site : sites) places[site.text] += site.callers.empty() ? 0 : 1;
  for (SiteInfo& site : sites) site.shares_text = places[site.text] > 1;
}

std::string site_text(std::uint32_t site, const std::vector<SiteInfo>& sites) {
  return site < sites.size() && !sites[site].text.empty() ? sites[site].text : fmt::format("site {}", site);
}

std::string site_name(std::uint32_t site, const std::vector<SiteInfo>& sites) {
  const std::string text = site_text(site, sites);
  return site < sites.size() && sites[site].shares_text ? fmt::format("{} (site {})", text, site) : text;
}

std::string region_name(std::uint32_t region, const std::vector<RegionInfo>& regions, const std::vector<SiteInfo>& sites) {
  if (region >= regions.size()) return fmt::format("region {}", region);
  return fmt::format("{} -> {}", site_name(regions[region].from_site, sites), site_name(regions[region].to_site, sites));
}

} // namespace farcast::report
