#include "predictor/scenario/block_program.h"

#include "predictor/base/nearest_name.h"
#include "predictor/base/words.h"
#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace farcast::scenario {

namespace {

constexpr std::size_t kMostPoints = 100000;
constexpr std::int64_t kMostProcesses = 1'000'000'000;

// [axis] the group that it is about.
base::Result<std::vector<std::size_t>> groups_of(const BlockModel& model, const BlockAxes& axes) {
  std::vector<std::string> labels;
  for (const model::ProcessGroup& group : model.program.groups) labels.push_back(group.label);
  std::vector<std::size_t> out;
  for (const ProcessAxis& axis : axes.processes) {
    const auto found = std::ranges::find(labels, axis.label);
    if (found == labels.end())
      return base::fail(fmt::format("--processes: found no group {} in the program, expected one of {}",
                                    platform::in_quotes(axis.label), fmt::join(labels, ", ")));
    out.push_back(static_cast<std::size_t>(found - labels.begin()));
  }
  return out;
}

model::BlockCluster cluster_of(const platform::Platform& platform) {
  model::BlockCluster out;
  out.blocks = platform.blocks;
  out.nodes = static_cast<double>(platform.hosts.size());
  const platform::Host& host = platform.hosts.front();
  out.node_failures = host.failure_rate;
  if (host.processor == nullptr || !host.processor->threads) return out;
  out.time = host.processor->threads->time;
  for (base::Seconds model::ThreadTime::*const piece :
       {&model::ThreadTime::minimum, &model::ThreadTime::low, &model::ThreadTime::high, &model::ThreadTime::per_thread})
    (*out.time).*piece = platform.virtualization.computation * ((*out.time).*piece);
  out.power = host.processor->threads->power;
  return out;
}

void play(const BlockModel& model, const std::vector<std::size_t>& groups, BlockPoint& point) {
  model::BlockProgram program = model.program;
  for (std::size_t axis = 0; axis < groups.size(); ++axis) program.groups[groups[axis]].processes = point.processes[axis];
  for (std::size_t group = 0; group < program.groups.size(); ++group)
    if (!model.per_node_given[group]) program.groups[group].per_node = point.per_node;
  auto run = model::run_blocks(program, cluster_of(*point.platform));
  if (!run)
    point.impossible = fmt::format("{}: {}", point.platform->name, run.error().message);
  else if (!std::isfinite(run->time.value()))
    point.impossible = "its time is beyond all bounds";
  else
    point.run = std::move(*run);
}

// Returns: all combinations, the last axis changing fastest.
std::vector<std::vector<double>> combinations(const std::vector<ProcessAxis>& axes) {
  std::vector<std::vector<double>> out{{}};
  for (const ProcessAxis& axis : axes) {
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& begin : out)
      for (const double processes : axis.processes) {
        longer.push_back(begin);
        longer.back().push_back(processes);
      }
    out = std::move(longer);
  }
  return out;
}

} // namespace

base::Result<ProcessAxis> parse_processes(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto wrong = [&] {
    return base::fail(
        fmt::format("found {}, expected a group and whole numbers from 1 to 1e9 such as slave=12,24", platform::in_quotes(text)));
  };
  if (equals == std::string_view::npos || equals == 0) return wrong();
  ProcessAxis out{std::string(base::trimmed(text.substr(0, equals))), {}};
  for (const std::string_view part : base::split(text.substr(equals + 1), ',')) {
    const auto count = platform::parse_integer(base::trimmed(part), 1, kMostProcesses);
    if (!count) return wrong();
    const auto value = static_cast<double>(*count);
    if (std::ranges::find(out.processes, value) == out.processes.end()) out.processes.push_back(value);
  }
  return out;
}

base::Result<std::vector<BlockPoint>> block_points(const BlockModel& model, const BlockAxes& axes) {
  const auto groups = groups_of(model, axes);
  if (!groups) return tl::make_unexpected(groups.error());
  const bool takes_per_node = std::ranges::find(model.per_node_given, false) != model.per_node_given.end();
  if (!axes.per_node.empty() && !takes_per_node)
    return base::fail("--ppn: found per_node in all groups of the program, expected one without it");
  std::size_t count = axes.platforms.size() * std::max<std::size_t>(1, axes.per_node.size());
  for (const ProcessAxis& axis : axes.processes) count = std::min(kMostPoints + 1, count * axis.processes.size());
  if (count > kMostPoints) return base::fail(fmt::format("the axes span more than {} points", kMostPoints));
  std::vector<BlockPoint> out;
  for (const platform::Platform* const platform : axes.platforms) {
    const std::vector<int> per_node = axes.per_node.empty() ? std::vector{platform->hosts.front().cores} : axes.per_node;
    for (const std::vector<double>& processes : combinations(axes.processes))
      for (const int each : per_node) {
        BlockPoint& point = out.emplace_back();
        point.platform = platform;
        point.processes = processes;
        point.per_node = each;
        play(model, *groups, point);
      }
  }
  const auto possible = [](const BlockPoint& point) { return point.impossible.empty(); };
  if (std::ranges::none_of(out, possible)) return base::fail(out.front().impossible);
  return out;
}

} // namespace farcast::scenario
