#include "predictor/sim/power_saving.h"

#include "predictor/sim/node_layout_of.h"

namespace farcast::sim {

using trace::CollectiveKind;

platform::PowerSaving PowerSaving::costs_of(std::uint32_t rank) const {
  const auto& processor = setting_.platform.hosts[setting_.host_of(rank)].processor;
  return processor == nullptr ? platform::PowerSaving() : processor->saving;
}

double PowerSaving::clock_against_slowest(std::uint32_t rank) const {
  const platform::Host& host = setting_.platform.hosts[setting_.host_of(rank)];
  if (host.processor == nullptr) return 1.0;
  return host.processor->clock(host.state) / host.processor->clock(host.processor->slowest());
}

void PowerSaving::say(Prediction& prediction) const {
  const CollectivePolicy policy = setting_.options.policy;
  if (policy == CollectivePolicy::none || setting_.ranks == 0) return;
  const platform::PowerSaving costs = costs_of(0);
  prediction.assumptions.emplace_back(CollectivesSave{
      std::string(name_of(policy)), costs.dvfs_latency,
      policy == CollectivePolicy::dvfs ? base::Seconds(0.0) : costs.throttle_latency, 1.0 / clock_against_slowest(0)});
}

PowerSaving::Nodes& PowerSaving::nodes_of(const trace::Operation& operation) {
  const auto [found, made] = nodes_.try_emplace(operation.communicator.get());
  Nodes& nodes = found->second;
  if (!made) return nodes;
  nodes.communicator = operation.communicator;
  nodes.halves_rest = operation.communicator->remote.empty() && node_layout_of(setting_, *operation.communicator).rests();
  for (const auto* group : {&operation.communicator->members, &operation.communicator->remote}) {
    for (const int member : *group) {
      if (member < 0 || member >= setting_.ranks) continue;
      const auto rank = static_cast<std::uint32_t>(member);
      nodes.leader.try_emplace(setting_.host_of(rank), rank);
    }
  }
  return nodes;
}

// Returns: the state of a rank's core while the leaders communicate.
CoreState PowerSaving::led(std::uint32_t rank, std::uint32_t leader) const {
  if (setting_.options.policy == CollectivePolicy::core_throttle)
    return rank == leader ? CoreState::slowed : CoreState::throttled_t7;
  const int sockets = costs_of(rank).sockets;
  const int cores = setting_.platform.hosts[setting_.host_of(rank)].cores;
  const auto socket = [&](std::uint32_t of) { return setting_.placement.core_of[of] * sockets / cores; };
  return socket(rank) == socket(leader) ? CoreState::throttled_t4 : CoreState::throttled_t7;
}

PowerSaving::Call PowerSaving::call_of(const Strand& strand) {
  const trace::Operation& operation = strand.operation;
  if (setting_.options.policy == CollectivePolicy::dvfs || !operation.communicator || !operation.collective) return {};
  const Nodes& nodes = nodes_of(operation);
  const auto leader = nodes.leader.find(setting_.host_of(strand.rank));
  if (nodes.leader.size() < 2 || leader == nodes.leader.end()) return {};
  const base::Seconds once = costs_of(strand.rank).throttle_latency;
  switch (operation.collective->kind) {
  case CollectiveKind::alltoall:
  case CollectiveKind::alltoallv:
    if (!nodes.halves_rest) return {};
    return {CoreState::half_throttled, 1.0, static_cast<double>(nodes.leader.size()) * once};
  case CollectiveKind::bcast:
  case CollectiveKind::reduce: {
    constexpr double kHalfOfTheCycles = 2.0; // T4
    const bool leader_throttled = setting_.options.policy == CollectivePolicy::throttle;
    return {led(strand.rank, leader->second), leader_throttled ? kHalfOfTheCycles : 1.0, 2.0 * once};
  }
  default:
    return {};
  }
}

void PowerSaving::begin(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const Call call = call_of(strand);
  cores_.save(strand.rank, call.state);
  strand.saving = Saving::inside;
  strand.pace = clock_against_slowest(strand.rank) * call.throttled;
  strand.transition = (costs_of(strand.rank).dvfs_latency + 0.5 * call.transitions).value();
  scheduler_.advance(index, strand.transition, CoreState::polling);
}

bool PowerSaving::end(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  if (strand.saving == Saving::inside) {
    strand.saving = Saving::leaving;
    strand.pace = 1.0;
    if (!scheduler_.advance(index, strand.transition, CoreState::polling)) return false;
  }
  strand.saving = Saving::none;
  cores_.save(strand.rank, CoreState::idle);
  scheduler_.set_core(strand, CoreState::polling);
  return true;
}

} // namespace farcast::sim
