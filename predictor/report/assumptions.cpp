#include "predictor/report/assumptions.h"

#include <algorithm>
#include <map>

namespace farcast::report {

std::vector<sim::Assumption> assumptions_of(const platform::Platform& platform) {
  std::vector<sim::Assumption> assumed;
  const auto polling = std::find_if(platform.hosts.begin(), platform.hosts.end(),
                                    [](const platform::Host& host) { return host.power && host.power->polling_assumed; });
  // Heinrich17 measured probing only: what a core draws that polls inside a blocking call is ours
  // to assume.
  if (polling != platform.hosts.end()) assumed.emplace_back(sim::PollingAssumed{polling->power->all_polling});
  for (const std::string& warning : platform.warnings) assumed.emplace_back(sim::PlatformRemark{warning});
  return assumed;
}

std::vector<sim::Assumption> contention_assumption(const platform::Placement& placement, bool slowdowns) {
  std::map<platform::HostId, int> ranks_on;
  int most = 0;
  for (const platform::HostId host : placement.host_of) most = std::max(most, ++ranks_on[host]);
  if (slowdowns || most < 2) return {};
  return {sim::MemoryUncontended{most}};
}

std::vector<sim::Assumption> threads_assumption(const platform::Placement& placement, int cpus_seen) {
  if (placement.cpus_per_rank >= cpus_seen) return {};
  return {sim::FewerCores{cpus_seen, placement.cpus_per_rank}};
}

} // namespace farcast::report
