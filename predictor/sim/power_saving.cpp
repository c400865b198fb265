#include "predictor/sim/power_saving.h"

#include "predictor/collective/power_aware.h"
#include "predictor/sim/node_layout_of.h"

namespace farcast::sim {

using trace::CollectiveKind;

collective::Selection selection_of(const Options& options) {
  collective::Selection out = options.collectives;
  if (options.policy != CollectivePolicy::throttle && options.policy != CollectivePolicy::core_throttle) return out;
  for (const collective::Family& family : collective::power_aware_families()) {
    std::string_view& named = out.named[static_cast<std::size_t>(family.kind)];
    if (named.empty()) named = family.algorithms.front().name;
  }
  return out;
}

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
  if (operation.communicator->remote.empty()) nodes.layout = node_layout_of(setting_, *operation.communicator);
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

// Returns: whether the call's schedule says when cores rest.
bool PowerSaving::rests(const trace::Collective& call, const Nodes& nodes) const {
  return nodes.layout && !selection_.by_formula(call.kind) &&
         selection_.named[static_cast<std::size_t>(call.kind)] == collective::power_aware_name(call.kind) &&
         collective::lets_rest(call.kind, call.commutative, *nodes.layout);
}

PowerSaving::Call PowerSaving::call_of(const Strand& strand) {
  const trace::Operation& operation = strand.operation;
  if (setting_.options.policy == CollectivePolicy::dvfs || !operation.communicator || !operation.collective) return {};
  const Nodes& nodes = nodes_of(operation);
  const auto leader = nodes.leader.find(setting_.host_of(strand.rank));
  if (nodes.leader.size() < 2 || leader == nodes.leader.end()) return {};
  const bool phases = rests(*operation.collective, nodes);
  const base::Seconds once = costs_of(strand.rank).throttle_latency;
  Call out;
  switch (operation.collective->kind) {
  case CollectiveKind::alltoall:
  case CollectiveKind::alltoallv:
    if (!nodes.layout || !nodes.layout->rests()) return {};
    out.transitions = static_cast<double>(nodes.leader.size()) * once;
    out.resting = CoreState::throttled_t7;
    if (!phases) out.state = CoreState::half_throttled;
    return out;
  case CollectiveKind::bcast:
  case CollectiveKind::reduce: {
    constexpr double kHalfOfTheCycles = 2.0; // T4
    out.leads = leader->second == strand.rank;
    const bool leader_throttled = setting_.options.policy == CollectivePolicy::throttle;
    out.resting = led(strand.rank, leader->second);
    // Who is no leader does nothing meanwhile, where there are phases.
    out.resting_throttled = leader_throttled && (out.leads || !phases) ? kHalfOfTheCycles : 1.0;
    out.resting_transition = once;
    if (phases) return out;
    return {.state = out.resting, .throttled = out.resting_throttled, .transitions = 2.0 * once};
  }
  default:
    return {};
  }
}

void PowerSaving::change(Strand& strand, CoreState state, double throttled) {
  cores_.save(strand.rank, state);
  strand.pace = clock_against_slowest(strand.rank) * throttled;
}

void PowerSaving::begin(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const Call call = call_of(strand);
  change(strand, call.state, call.throttled);
  strand.saving = Saving::inside;
  strand.transition = (costs_of(strand.rank).dvfs_latency + 0.5 * call.transitions).value();
  scheduler_.advance(index, strand.transition, CoreState::polling);
}

bool PowerSaving::turn(std::uint32_t index, bool rests) {
  Strand& strand = scheduler_[index];
  if (strand.saving != Saving::inside || setting_.options.policy == CollectivePolicy::dvfs) return true;
  const Call call = call_of(strand);
  if (rests)
    change(strand, call.resting, call.resting_throttled);
  else
    change(strand, call.state, call.throttled);
  scheduler_.set_core(strand, CoreState::polling);
  const bool takes_time = rests || call.leads;
  return scheduler_.advance(index, takes_time ? call.resting_transition.value() : 0.0, CoreState::polling);
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
