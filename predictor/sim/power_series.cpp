#include "predictor/sim/power_series.h"

#include "predictor/energy/power_meter.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace farcast::sim {

using energy::CoreState;
using energy::Step;

namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

constexpr std::size_t index_of(CoreState state) { return static_cast<std::size_t>(state); }

// Adds `scale` times the steps to the series.
void add_steps(energy::StepSeries& series, const std::vector<Step>& steps, double scale) {
  double value = 0;
  for (const Step& step : steps) {
    series.add(step.begin, (step.value - value) * scale);
    value = step.value;
  }
}

} // namespace

PowerSeries::PowerSeries(const platform::Platform& platform, const platform::Placement& placement, std::size_t most)
    : platform_(platform), placement_(placement), most_(most), index_(platform.hosts.size(), kUnused) {
  std::vector<platform::HostId> hosts = placement.host_of;
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  meters_.reserve(hosts.size());
  for (const platform::HostId host : hosts) {
    assert(platform.hosts.at(host).power.has_value());
    index_[host] = static_cast<std::uint32_t>(meters_.size());
    Meter& meter = meters_.emplace_back(Meter{host, {}, {}, energy::StepSeries(most), {}, 0.0});
    const int cores = platform.hosts[host].cores;
    meter.state_of.assign(static_cast<std::size_t>(cores), CoreState::idle);
    meter.cores_in[index_of(CoreState::idle)] = cores;
    meter.watts.add(0.0, watts_of(meter));
  }
}

double PowerSeries::watts_of(const Meter& meter) const {
  return energy::node_power(platform_.hosts[meter.host], meter.cores_in).value();
}

void PowerSeries::core(const CoreChange& change) {
  Meter& meter = meters_[index_[change.host]];
  CoreState& state = meter.state_of[static_cast<std::size_t>(change.core)];
  if (state == change.state) return;
  const double before = watts_of(meter);
  --meter.cores_in[index_of(state)];
  ++meter.cores_in[index_of(change.state)];
  state = change.state;
  meter.watts.add(change.time, watts_of(meter) - before);
}

void PowerSeries::other_threads(const OtherThreads& use) {
  Meter& meter = meters_[index_[use.host]];
  if (!meter.others) meter.others.emplace(most_);
  const double begin = use.end > use.begin ? use.begin : std::max(0.0, use.end - use.core_seconds);
  if (!(use.end > begin)) return; // at the very start; add_others() evens it out
  const double busy = use.core_seconds / (use.end - begin);
  meter.others->add(begin, busy);
  meter.others->add(use.end, -busy);
}

// Other threads draw what a computing core does, as often as the prediction counts them.
void PowerSeries::add_others(Meter& meter, double end) {
  if (!(meter.others_s > 0)) return;
  const double watts = energy::dynamic_power(platform_.hosts[meter.host], CoreState::computing).value();
  std::vector<Step> busy = meter.others ? meter.others->steps(end) : std::vector<Step>();
  double told_s = energy::integral_of(busy, end);
  if (!(told_s > 0)) {
    busy = {{0.0, 1.0}};
    told_s = end;
  }
  add_steps(meter.watts, busy, watts * meter.others_s / told_s);
}

void PowerSeries::concluded(const Prediction& prediction) {
  end_s_ = prediction.time.value();
  seed_ = prediction.transport.seed;
  name_ = prediction.platform;
  for (std::size_t rank = 0; rank < prediction.other_threads.size(); ++rank)
    meters_[index_[placement_.host_of[rank]]].others_s += prediction.other_threads[rank].value();
  energy::StepSeries sum(most_);
  for (Meter& meter : meters_) {
    add_others(meter, end_s_);
    results_.push_back({platform_.hosts[meter.host].name, meter.watts.steps(end_s_)});
    add_steps(sum, results_.back().watts, 1.0);
  }
  sum_ = sum.steps(end_s_);
  meters_.clear();
}

} // namespace farcast::sim
