#include "predictor/scenario/failures.h"

#include <fmt/format.h>
#include <set>

namespace farcast::scenario {

base::Result<UsedNodes> used_nodes(const PlacedPlatform& placed, std::optional<base::Hertz> node_failures) {
  UsedNodes out{base::Hertz(0), base::Watts(0)};
  const std::set<platform::HostId> used(placed.placement.host_of.begin(), placed.placement.host_of.end());
  for (const platform::HostId id : used) {
    const platform::Host& host = placed.platform.hosts[id];
    const std::optional<base::Hertz> rate = node_failures ? node_failures : host.failure_rate;
    if (!rate)
      return base::fail(fmt::format("platform {} does not say how often host {} fails, expected its property "
                                    "farcast:failure_rate, or --failure-rate",
                                    placed.platform.name, host.name));
    out.failures += *rate;
    if (!host.power)
      out.idle.reset();
    else if (out.idle)
      *out.idle += host.power->idle;
  }
  return out;
}

} // namespace farcast::scenario
