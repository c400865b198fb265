#include "predictor/region/slowdown_table.h"

#include "predictor/base/base_name.h"

#include <algorithm>

namespace farcast::region {

SiteKey key_of_place(const std::string& build_id, const std::string& module, std::uint64_t offset) {
  return {build_id.empty() ? base::base_name(module) : build_id, offset};
}

std::size_t stack_depth(const SlowdownTable& table) {
  std::size_t most = 0;
  for (const SiteStack& callers : table.callers) most = std::max(most, callers.size());
  return most + 1;
}

double slowdown_at(const std::vector<SlowdownPoint>& points, double corunners) {
  if (corunners <= points.front().corunners) return points.front().slowdown;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const SlowdownPoint& low = points[i - 1];
    const SlowdownPoint& high = points[i];
    if (corunners > high.corunners) continue;
    const double part = (corunners - low.corunners) / (high.corunners - low.corunners);
    return low.slowdown + part * (high.slowdown - low.slowdown);
  }
  return points.back().slowdown;
}

double simgrid_ratio(const RegionSlowdown& region) {
  if (region.divisor) return *region.divisor;
  return region.points.empty() ? 1.0 : 1.0 / region.points.back().slowdown;
}

} // namespace farcast::region
