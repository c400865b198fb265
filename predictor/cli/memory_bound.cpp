#include "predictor/cli/memory_bound.h"

#include "predictor/scenario/what_if.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::cli {

base::Result<std::set<trace::Frame>> memory_bound_in(trace::Recording& recording, const live::Settings& settings) {
  std::set<trace::Frame> out;
  if (settings.memory_bound.empty()) return out;
  const scenario::SitesOfRun run = scenario::sites_of_run(recording);
  for (const std::string& site : settings.memory_bound) {
    const auto frames = scenario::frames_at(site, run.names);
    if (!frames) return base::fail(fmt::format("--memory-bound: {}", frames.error().message));
    out.insert(frames->begin(), frames->end());
  }
  return out;
}

base::Result<void> use_memory_bound(const live::Settings& settings, platform::Platform& platform) {
  if (settings.memory_bound.empty()) return {};
  const auto without = std::find_if(platform.hosts.begin(), platform.hosts.end(),
                                    [](const platform::Host& host) { return !host.power || !host.power->all_memory; });
  if (without != platform.hosts.end())
    return base::fail(
        fmt::format("--memory-bound: platform {}: found host {} without farcast:memory_watts, expected the watts of "
                    "a node whose cores all compute bound by memory (farcast calibrate power measures them)",
                    platform.name, without->name));
  platform.warnings.push_back(fmt::format(
      "computation that begins or ends at {} is bound by memory (--memory-bound): its core draws by farcast:memory_watts, all "
      "other computation, and that of a rank's further threads, by wattage_per_state",
      fmt::join(settings.memory_bound, ", ")));
  return {};
}

} // namespace farcast::cli
