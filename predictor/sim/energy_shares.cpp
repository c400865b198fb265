#include "predictor/sim/energy_shares.h"

#include <map>

namespace farcast::sim {

using energy::CoreState;

EnergyShares::EnergyShares(const Setting& setting, Account& account) : account_(account) {
  std::map<platform::HostId, std::uint32_t> node_of;
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(setting.ranks); ++rank) {
    const platform::Host& host = setting.platform.hosts[setting.host_of(rank)];
    const auto [found, first] = node_of.emplace(setting.host_of(rank), static_cast<std::uint32_t>(nodes_.size()));
    ranks_.push_back({{}, CoreState::idle, found->second, 0.0, 0.0});
    if (!first) continue;
    Node& node = nodes_.emplace_back();
    for (std::size_t state = 0; state < energy::kCoreStates; ++state)
      node.watts[state] = energy::dynamic_power(host, static_cast<CoreState>(state)).value();
    node.static_watts = host.power->static_active.value();
    node.idle_watts = host.power->idle.value();
    node.other_watts = energy::dynamic_power(host, CoreState::computing).value();
    node.threads = energy::thread_power_of(host);
    if (node.threads == nullptr) continue;
    node.watts = {};
    node.idle_watts = node.threads->low.value();
  }
}

void EnergyShares::Node::activate(int more) {
  active += more;
  if (active <= 0) return;
  share_watts = (threads != nullptr ? model::thread_power(*threads, active).value() : static_watts) / active;
}

void EnergyShares::book(std::uint32_t rank, SpentIn in, double joules) {
  if (in.call)
    account_.call_energy(rank, in.index, joules);
  else
    account_.region_energy(rank, in.index, joules);
}

// Books what the rank, whose core is active, has drawn.
void EnergyShares::book_until(std::uint32_t index, double time) {
  Rank& rank = ranks_[index];
  Node& node = nodes_[rank.node];
  node.advance(time);
  const double joules = node.watts[static_cast<std::size_t>(rank.state)] * (time - rank.since_s) + node.share_j - rank.share_j;
  rank.since_s = time;
  rank.share_j = node.share_j;
  if (joules > 0) book(index, rank.in, joules);
}

void EnergyShares::set(std::uint32_t index, CoreState state, double time) {
  settle(index, time);
  Rank& rank = ranks_[index];
  const bool was_active = rank.state != CoreState::idle, is_active = state != CoreState::idle;
  rank.state = state;
  if (was_active == is_active) return;
  Node& node = nodes_[rank.node];
  node.advance(time);
  node.activate(is_active ? 1 : -1);
  rank.since_s = time;
  rank.share_j = node.share_j;
}

void EnergyShares::use_others(std::uint32_t rank, SpentIn what, double core_seconds) {
  std::vector<double>& seconds = others_s_[what.call ? 1 : 0][what.index];
  if (seconds.empty()) seconds.resize(ranks_.size(), 0.0);
  seconds[rank] += core_seconds;
}

base::Joules EnergyShares::finish(double end, const std::vector<double>& counted) {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) settle(rank, end);
  for (const bool call : {true, false}) {
    others_s_[call ? 1 : 0].for_each([&](std::uint32_t index, const std::vector<double>& seconds) {
      for (std::uint32_t rank = 0; rank < seconds.size(); ++rank) {
        const double share = counted.empty() ? 0.0 : counted[rank];
        if (share > 0) book(rank, {call, index}, share * seconds[rank] * nodes_[ranks_[rank].node].other_watts);
      }
    });
  }
  double idle = 0;
  for (Node& node : nodes_) {
    node.advance(end);
    idle += node.idle_j;
  }
  return base::Joules(idle);
}

} // namespace farcast::sim
