#include "predictor/cli/recorded_platforms.h"

#include "predictor/cli/measured_node.h"
#include "predictor/cli/memory_bound.h"
#include "predictor/platform/builtin.h"
#include "predictor/trace/rank_threads.h"

namespace farcast::cli {

base::Result<std::vector<live::PlacedPlatform>> platforms_for(const live::Settings& settings, const trace::Recording& recording) {
  auto placed = live::place_all(settings, recording.world_size, trace::cores_per_rank(recording));
  if (!placed) return placed;
  const auto records = read_records(settings);
  if (!records) return tl::make_unexpected(records.error());
  for (live::PlacedPlatform& one : *placed)
    if (const auto used = use_records(*records, settings, one.platform); !used) return tl::make_unexpected(used.error());
  for (live::PlacedPlatform& one : *placed)
    if (const auto used = use_memory_bound(settings, one.platform); !used) return tl::make_unexpected(used.error());
  for (const live::PlacedPlatform& one : *placed)
    if (const auto possible = live::check_options(settings, one); !possible) return tl::make_unexpected(possible.error());
  return placed;
}

base::Result<std::map<std::string, platform::Platform>> platforms_by_name(const live::Settings& settings,
                                                                          const std::vector<std::string>& names) {
  const auto records = read_records(settings);
  if (!records) return tl::make_unexpected(records.error());
  std::map<std::string, platform::Platform> out;
  for (const std::string& name : names) {
    auto found = platform::find_platform(name);
    if (!found) return base::fail(found.error().message);
    if (const auto used = use_records(*records, settings, *found); !used) return tl::make_unexpected(used.error());
    if (const auto used = use_memory_bound(settings, *found); !used) return tl::make_unexpected(used.error());
    out.emplace(name, std::move(*found));
  }
  return out;
}

} // namespace farcast::cli
