#include "predictor/report/assumptions.h"

#include "predictor/base/format.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace farcast::report {

std::vector<sim::Assumption> assumptions_of(const platform::Platform& platform) {
  std::vector<sim::Assumption> assumed;
  const auto polling = std::find_if(platform.hosts.begin(), platform.hosts.end(),
                                    [](const platform::Host& host) { return host.power && host.power->polling_assumed; });
  // Heinrich17 measured probing only: what a core draws that polls inside a blocking call is ours to assume.
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

std::vector<std::string> slowdown_cautions(const sim::SlowdownUse& use) {
  constexpr double kMuch = 0.005; // of the computation: less changes no figure that is printed
  std::vector<std::string> sentences;
  if (use.played_beyond.value() > kMuch * use.played.value())
    sentences.push_back(
        fmt::format("{} of the predicted computation has up to {} ranks computing on its node, and its slowdowns were measured "
                    "with at most {}: "
                    "they are taken as with {}, which is too fast if more ranks slow each other down further ({})",
                    base::format_share(use.played_beyond.value(), use.played.value()), use.corunners_played,
                    use.corunners_measured, use.corunners_measured, use.source));
  const double measured = (use.exact + use.neighbour + use.same_file + use.none).value();
  if (use.beyond.value() > kMuch * measured)
    sentences.push_back(
        fmt::format("{} of the recorded computation had more ranks beside it than the slowdowns were measured with: "
                    "what it takes alone is taken too long ({})",
                    base::format_share(use.beyond.value(), measured), use.source));
  return sentences;
}

} // namespace farcast::report
