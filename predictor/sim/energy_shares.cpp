#include "predictor/sim/energy_shares.h"

#include <algorithm>
#include <map>

namespace farcast::sim {

using energy::CoreState;

EnergyShares::EnergyShares(const Setting& setting) {
  std::map<platform::HostId, std::uint32_t> node_of;
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(setting.ranks); ++rank) {
    const platform::Host& host = setting.platform.hosts[setting.host_of(rank)];
    const auto [found, first] = node_of.emplace(setting.host_of(rank), static_cast<std::uint32_t>(nodes_.size()));
    ranks_.push_back({{}, CoreState::idle, found->second, 0.0, 0.0, 0.0});
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

void EnergyShares::Node::advance(double time) {
  const double passed = std::max(0.0, time - last_s);
  if (active > 0)
    share_j += (threads != nullptr ? model::thread_power(*threads, active).value() : static_watts) * passed / active;
  else
    idle_j += idle_watts * passed;
  last_s = std::max(last_s, time);
}

std::vector<double>& EnergyShares::row(Table& table, std::uint32_t index, std::size_t ranks) {
  std::vector<double>& out = table[index];
  if (out.empty()) out.resize(ranks, 0.0);
  return out;
}

// Books what the rank has drawn.
void EnergyShares::settle(std::uint32_t index, double time) {
  Rank& rank = ranks_[index];
  if (rank.state == CoreState::idle || !(time > rank.since_s)) return;
  Node& node = nodes_[rank.node];
  node.advance(time);
  const double joules =
      node.watts[static_cast<std::size_t>(rank.state)] * std::max(0.0, time - rank.since_s) + node.share_j - rank.share_j;
  rank.since_s = time;
  rank.share_j = node.share_j;
  if (!(joules > 0)) return;
  if (rank.in.call)
    row(calls_j_, rank.in.index, ranks_.size())[index] += joules;
  else
    regions_j_[rank.in.index] += joules;
  rank.joules += joules;
}

void EnergyShares::set(std::uint32_t index, CoreState state, double time) {
  settle(index, time);
  Rank& rank = ranks_[index];
  const bool was_active = rank.state != CoreState::idle, is_active = state != CoreState::idle;
  rank.state = state;
  if (was_active == is_active) return;
  Node& node = nodes_[rank.node];
  node.advance(time);
  node.active += is_active ? 1 : -1;
  rank.since_s = time;
  rank.share_j = node.share_j;
}

void EnergyShares::use_others(std::uint32_t rank, SpentIn what, double core_seconds) {
  row(others_s_[what.call ? 1 : 0], what.index, ranks_.size())[rank] += core_seconds;
}

void EnergyShares::report(Prediction& prediction, const std::vector<double>& counted) {
  const double end = prediction.time.value();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) settle(rank, end);
  const auto others_j = [&](std::size_t rank, double seconds) {
    const double share = counted.empty() ? 0.0 : counted[rank];
    return share * seconds * nodes_[ranks_[rank].node].other_watts;
  };
  const auto add_others = [&](Table& table, auto add) {
    table.for_each([&](std::uint32_t index, const std::vector<double>& seconds) {
      for (std::size_t rank = 0; rank < seconds.size(); ++rank) {
        const double joules = others_j(rank, seconds[rank]);
        ranks_[rank].joules += joules;
        add(index, rank, joules);
      }
    });
  };
  add_others(others_s_[1],
             [&](std::uint32_t site, std::size_t rank, double joules) { row(calls_j_, site, ranks_.size())[rank] += joules; });
  add_others(others_s_[0], [&](std::uint32_t region, std::size_t, double joules) { regions_j_[region] += joules; });
  calls_j_.for_each([&](std::uint32_t site, const std::vector<double>& joules) {
    std::vector<SiteTimes>& by_rank = prediction.sites[site];
    by_rank.resize(ranks_.size());
    for (std::size_t rank = 0; rank < joules.size(); ++rank) by_rank[rank].energy = base::Joules(joules[rank]);
  });
  regions_j_.for_each([&](std::uint32_t region, double joules) { prediction.regions[region].energy = base::Joules(joules); });
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) prediction.ranks[rank].energy = base::Joules(ranks_[rank].joules);
  double idle = 0;
  for (Node& node : nodes_) {
    node.advance(end);
    idle += node.idle_j;
  }
  prediction.idle_energy = base::Joules(idle);
}

} // namespace farcast::sim
