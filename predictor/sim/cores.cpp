#include "predictor/sim/cores.h"

#include "predictor/host/compute.h"

#include <algorithm>
#include <functional>
#include <set>

namespace farcast::sim {

Cores::Cores(const Setting& setting, Account& account) : setting_(setting) {
  const platform::Placement& placement = setting.placement;
  const auto count = static_cast<std::size_t>(setting.ranks);
  bool power = true;
  const host::Speeds speeds(setting.platform, setting.options.asked_speed());
  for (std::size_t rank = 0; rank < count; ++rank) {
    const platform::Host& host = setting.platform.hosts[placement.host_of[rank]];
    speed_.push_back(speeds.of(host));
    core_of_.push_back(std::clamp(placement.core_of[rank], 0, std::max(0, host.cores - 1)));
    power = power && host.power.has_value();
  }
  if (std::adjacent_find(speed_.begin(), speed_.end(), std::not_equal_to<>()) == speed_.end() && count > 1) speed_.resize(1);
  as_measured_ = speed_.size() == 1 && speed_.front() == 1.0 && setting.platform.virtualization.computation == 1.0;
  power = power && count > 0;
  if (power) meter_.emplace(setting.platform, placement.host_of);
  if (power) shares_.emplace(setting, account);
  if (power || setting.observer != nullptr) states_.assign(count, CoreState::idle);
}

double Cores::scaled(std::uint32_t rank, double measured) const {
  return host::corrected_compute(base::Seconds(measured), speed_[speed_.size() == 1 ? 0 : rank]).value() *
         setting_.platform.virtualization.computation;
}

void Cores::use_others(std::uint32_t rank, SpentIn what, double core_seconds, double begin, double end) {
  if (others_.empty()) others_.resize(core_of_.size(), 0.0);
  others_[rank] += core_seconds;
  if (shares_) shares_->use_others(rank, what, core_seconds);
  if (setting_.observer != nullptr) setting_.observer->other_threads({rank, setting_.host_of(rank), begin, end, core_seconds});
}

void Cores::report(Prediction& prediction) {
  prediction.nodes_used =
      static_cast<int>(std::set<platform::HostId>(setting_.placement.host_of.begin(), setting_.placement.host_of.end()).size());
  prediction.cpus_per_rank = setting_.placement.cpus_per_rank;
  const double further = setting_.placement.cpus_per_rank - 1;
  std::vector<double> counted; // [rank] of what its other threads use
  for (std::size_t rank = 0; rank < others_.size() && further > 0; ++rank) {
    const double used = std::min(others_[rank], further * prediction.time.value());
    prediction.other_threads.emplace_back(used);
    counted.push_back(others_[rank] > 0 ? used / others_[rank] : 0.0);
    if (meter_) meter_->add(setting_.placement.host_of[rank], CoreState::computing, base::Seconds(used));
  }
  if (!meter_) return;
  const energy::Energy energy = meter_->finish(prediction.time);
  prediction.energy = energy.total;
  prediction.energy_parts = energy.parts;
  for (const energy::NodeEnergy& node : energy.nodes) {
    prediction.nodes.push_back(NodeEnergy{node.host, node.total, node.idle});
  }
  prediction.idle_energy = shares_->finish(prediction.time.value(), counted);
}

} // namespace farcast::sim
