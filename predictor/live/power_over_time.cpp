#include "predictor/live/power_over_time.h"

#include "predictor/report/power_series_csv.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace farcast::live {

base::Result<void> check_power(const Settings& settings, const std::vector<PlacedPlatform>& platforms) {
  if (settings.power_file.empty()) return {};
  for (const PlacedPlatform& one : platforms) {
    for (const platform::HostId host : one.placement.host_of) {
      if (!one.platform.hosts[host].power)
        return base::fail(fmt::format("--power-series: found no watts of host {} in {}, expected the property "
                                      "wattage_per_state",
                                      one.platform.hosts[host].name, one.platform.name));
    }
  }
  return {};
}

PowerOverTime power_of(std::vector<scenario::Scenario>& scenarios, const Settings& settings) {
  PowerOverTime out;
  if (settings.power_file.empty()) return out;
  for (scenario::Scenario& one : scenarios) {
    const std::vector<platform::HostId>& hosts = one.where->placement.host_of;
    const std::size_t nodes = std::set<platform::HostId>(hosts.begin(), hosts.end()).size();
    const std::size_t usual = std::clamp<std::size_t>(kAllPowerSteps / std::max<std::size_t>(nodes, 1), 2, kPowerSteps);
    const std::size_t steps = settings.power_steps > 0 ? static_cast<std::size_t>(settings.power_steps) : usual;
    out.push_back(std::make_unique<sim::PowerSeries>(one.where->platform, one.where->placement, steps));
    one.observer = out.back().get();
  }
  return out;
}

std::string what_power_is_of(const PowerOverTime& power) {
  std::set<std::uint64_t> seeds;
  for (const auto& one : power) seeds.insert(one->seed());
  seeds.erase(0);
  return seeds.empty() ? "power over time" : fmt::format("power over time (realisation {})", fmt::join(seeds, ", "));
}

base::Result<void> write_power(const std::string& path, const PowerOverTime& power) {
  std::vector<const sim::PowerSeries*> series;
  for (const auto& one : power) series.push_back(one.get());
  return report::write_power_series(path, series);
}

} // namespace farcast::live
