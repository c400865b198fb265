#include "predictor/live/asked.h"

#include "predictor/platform/builtin.h"
#include "predictor/platform/frequency.h"
#include "predictor/region/slowdown_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::live {

base::Result<std::vector<PlacedPlatform>> place_all(const Settings& settings, int ranks, int cpus_seen) {
  platform::PlacementRequest request = settings.placement;
  request.cpus_seen = cpus_seen;
  request.fewer_cpus = true;
  std::vector<std::string> names = settings.platforms;
  if (names.empty()) names.emplace_back(kDefaultPlatform);
  std::vector<PlacedPlatform> out;
  for (const std::string& name : names) {
    auto found = platform::find_platform(name);
    if (!found) return base::fail(found.error().message);
    if (settings.frequency)
      if (const auto done = platform::choose_frequency(*found, *settings.frequency); !done)
        return base::fail(fmt::format("--frequency: {}", done.error().message));
    auto placed = platform::place(*found, ranks, request);
    if (!placed) return base::fail(placed.error().message);
    platform::add_threads(*found, *placed);
    out.push_back({std::move(*found), std::move(*placed)});
    if (settings.block_record.empty()) // else the caller has formulas to add
      if (const auto possible = check_options(settings, out.back()); !possible) return base::fail(possible.error().message);
  }
  return out;
}

base::Result<void> check_options(const Settings& settings, const PlacedPlatform& placed) {
  return sim::check(placed.platform, placed.placement, options_of(settings));
}

sim::Options options_of(const Settings& settings) {
  sim::Options options;
  options.relative_speed = settings.relative_speed;
  options.relative_speed_error = settings.relative_speed_error;
  options.host_speed = settings.host_speed;
  if (!settings.message_model.empty())
    options.p2p = settings.message_model == "smpi" ? sim::MessageModel::smpi : sim::MessageModel::channel;
  if (!settings.progress_rule.empty())
    options.progress = settings.progress_rule == "async" ? sim::ProgressRule::async : sim::ProgressRule::in_call;
  options.preconnected = settings.preconnected;
  options.bottlenecks = settings.bottlenecks;
  options.network = settings.network;
  options.wait = settings.wait;
  options.policy = settings.policy;
  if (!settings.collectives.empty()) // read once already, so that a mistake was said
    if (auto selection = collective::parse_selection(settings.collectives)) options.collectives = *selection;
  return options;
}

scenario::Draws draws_of(const Settings& settings) {
  if (settings.realisations > 0)
    return {std::max<std::uint64_t>(1, settings.seed.value_or(1)), static_cast<std::size_t>(settings.realisations)};
  return settings.seed ? scenario::Draws{*settings.seed, 1} : scenario::Draws{};
}

scenario::Draws draws_with_members(const Settings& settings) {
  scenario::Draws draws = draws_of(settings);
  draws.members.reset();
  if (settings.ensemble) draws.members = static_cast<std::size_t>(*settings.ensemble);
  if (!settings.ensemble && draws.count == 1) draws.members = 0; // one history alone was asked for
  return draws;
}

base::Result<SlowdownTable> load_slowdowns(const Settings& settings) {
  if (settings.regions_file.empty()) return SlowdownTable{};
  auto read = region::read_slowdowns(settings.regions_file);
  if (!read) return tl::unexpected(read.error());
  return std::make_shared<const region::SlowdownTable>(std::move(*read));
}

int frames_of(const Settings& settings, const SlowdownTable& table) {
  return table == nullptr ? settings.stack : std::max(settings.stack, static_cast<int>(region::stack_depth(*table)));
}

base::Result<void> check_slowdowns(const SlowdownTable& table, trace::Recording& recording) {
  if (table == nullptr) return {};
  std::vector<trace::LoadedModule> modules;
  const std::lock_guard<std::mutex> lock(recording.mutex);
  for (const auto& rank : recording.ranks) modules.insert(modules.end(), rank->modules.begin(), rank->modules.end());
  return region::check_objects(*table, modules);
}

std::vector<scenario::Scenario> scenarios_on(std::vector<PlacedPlatform> platforms, const sim::Options& options) {
  std::vector<scenario::Scenario> out;
  out.reserve(platforms.size());
  for (PlacedPlatform& placed : platforms) out.push_back({std::make_shared<const PlacedPlatform>(std::move(placed)), options});
  return out;
}

} // namespace farcast::live
