#include "predictor/report/run_summary.h"

#include <fmt/format.h>

namespace farcast::report {

std::string site_name(std::uint32_t site, const std::vector<SiteInfo>& sites) {
  return site < sites.size() && !sites[site].text.empty() ? sites[site].text : fmt::format("site {}", site);
}

std::string region_name(std::uint32_t region, const std::vector<RegionInfo>& regions, const std::vector<SiteInfo>& sites) {
  if (region >= regions.size())
    return fmt::format("region {}", region);
  return fmt::format("{} -> {}", site_name(regions[region].from_site, sites), site_name(regions[region].to_site, sites));
}

} // namespace farcast::report
