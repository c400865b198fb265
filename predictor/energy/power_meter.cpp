#include "predictor/energy/power_meter.h"

#include "predictor/model/node_power.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace farcast::energy {

namespace {

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

constexpr std::size_t index_of(CoreState state) { return static_cast<std::size_t>(state); }

model::PowerState figures_of(const platform::NodePower& power) {
  return {base::Hertz(0.0),
          power.idle,
          power.static_active,
          {power.all_computing, power.all_polling, power.all_probing, power.all_memory.value_or(power.all_computing)}};
}

} // namespace

const model::ThreadPower* thread_power_of(const platform::Host& host) {
  const platform::ThreadFormulas* const threads = platform::threads_beyond_cores(host);
  return threads != nullptr && threads->power ? &*threads->power : nullptr;
}

base::Watts dynamic_power(const platform::Host& host, CoreState state) {
  if (const model::ThreadPower* const threads = thread_power_of(host))
    return state == CoreState::idle ? base::Watts(0.0) : threads->low_per_thread;
  const auto of = [&host](const platform::NodePower& power, model::Workload workload) {
    return model::dynamic_per_core(figures_of(power), host.cores, workload);
  };
  const auto slowed = [&] {
    if (host.processor == nullptr) return of(*host.power, model::Workload::polling);
    return of(host.processor->states[host.processor->slowest()].power.value_or(*host.power), model::Workload::polling);
  };
  const auto throttled = [&host] {
    return host.processor == nullptr ? platform::PowerSaving().throttled : host.processor->saving.throttled;
  };
  switch (state) {
  case CoreState::idle:
    break;
  case CoreState::computing:
    return of(*host.power, model::Workload::computing);
  case CoreState::memory:
    return of(*host.power, model::Workload::memory);
  case CoreState::polling:
    return of(*host.power, model::Workload::polling);
  case CoreState::probing:
    return of(*host.power, model::Workload::probing);
  case CoreState::slowed:
    return slowed();
  case CoreState::half_throttled:
    return 0.5 * (1.0 + throttled()[1]) * slowed();
  case CoreState::throttled_t4:
    return throttled()[0] * slowed();
  case CoreState::throttled_t7:
    return throttled()[1] * slowed();
  }
  return base::Watts(0.0);
}

base::Watts node_power(const platform::Host& host, const std::array<int, kCoreStates>& active_cores) {
  if (const model::ThreadPower* const threads = thread_power_of(host))
    return model::thread_power(*threads, std::accumulate(active_cores.begin() + 1, active_cores.end(), 0));
  std::array<base::Watts, kCoreStates> per_core;
  for (std::size_t state = 0; state < kCoreStates; ++state) per_core[state] = dynamic_power(host, static_cast<CoreState>(state));
  const auto active = [](const auto& of_states) { return std::span(of_states).subspan(1); }; // without CoreState::idle
  return model::node_power(host.power->idle, host.power->static_active, active(per_core), active(active_cores));
}

PowerMeter::PowerMeter(const platform::Platform& platform, const std::vector<platform::HostId>& used_hosts, base::Seconds start)
    : platform_(platform), index_(platform.hosts.size(), kUnused) {
  std::vector<platform::HostId> hosts = used_hosts;
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  for (const platform::HostId host : hosts) {
    assert(platform.hosts.at(host).power.has_value());
    const int cores = platform.hosts[host].cores;
    Node node;
    node.host = host;
    node.threads = thread_power_of(platform.hosts[host]);
    node.last_s = start.value();
    node.cores.assign(static_cast<std::size_t>(cores), {start.value(), CoreState::idle});
    index_[host] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(std::move(node));
  }
}

// All cores stay as they are until then.
void PowerMeter::Node::advance(double time_s) {
  const double passed_s = std::max(0.0, time_s - last_s); // a caller's error must not become negative energy
  (active == 0 ? idle_s : active_s) += passed_s;
  last_s = std::max(last_s, time_s);
  if (threads == nullptr || active == 0) return;
  const double each = (model::thread_power(*threads, active) - threads->low).value() / active;
  std::array<int, kCoreStates> cores_in{};
  for (const Core& core : cores) ++cores_in[index_of(core.state)];
  for (std::size_t state = 1; state < kCoreStates; ++state) thread_j[state] += each * passed_s * cores_in[state];
}

void PowerMeter::Node::count(Core& core, double time_s) {
  core_s[index_of(core.state)] += std::max(0.0, time_s - core.since_s);
  core.since_s = std::max(core.since_s, time_s);
}

void PowerMeter::set(platform::HostId host, int index, CoreState state, base::Seconds time) {
  assert(host < index_.size() && index_[host] != kUnused);
  Node& node = nodes_[index_[host]];
  assert(index >= 0 && static_cast<std::size_t>(index) < node.cores.size());
  Core& core = node.cores[static_cast<std::size_t>(index)];
  if (core.state == state) return;
  node.count(core, time.value());
  const int more = (state != CoreState::idle ? 1 : 0) - (core.state != CoreState::idle ? 1 : 0);
  const bool begins_or_ends = node.active == 0 || node.active + more == 0; // to be active
  if (begins_or_ends || node.threads != nullptr) node.advance(time.value());
  node.active += more;
  core.state = state;
}

void PowerMeter::add(platform::HostId host, CoreState state, base::Seconds core_seconds) {
  assert(host < index_.size() && index_[host] != kUnused);
  Node& node = nodes_[index_[host]];
  node.core_s[index_of(state)] += core_seconds.value();
  if (node.threads != nullptr) node.thread_j[index_of(state)] += (node.threads->low_per_thread * core_seconds).value();
}

Energy PowerMeter::finish(base::Seconds time) const {
  Energy energy;
  for (Node node : nodes_) { // a copy: finishing changes nothing
    node.advance(time.value());
    for (Core& core : node.cores) node.count(core, time.value());
    const platform::Host& host = platform_.hosts[node.host];
    const platform::NodePower& power = *host.power;
    const auto joules = [&](CoreState state) {
      if (node.threads != nullptr) return base::Joules(node.thread_j[index_of(state)]);
      return dynamic_power(host, state) * base::Seconds(node.core_s[index_of(state)]);
    };
    NodeEnergy result;
    result.host = node.host;
    result.idle = base::Seconds(node.idle_s);
    result.parts.baseline = node.threads != nullptr
                                ? node.threads->low * base::Seconds(node.idle_s + node.active_s)
                                : power.idle * base::Seconds(node.idle_s) + power.static_active * base::Seconds(node.active_s);
    result.parts.computing = joules(CoreState::computing) + joules(CoreState::memory);
    result.parts.polling = joules(CoreState::polling);
    for (const CoreState state : {CoreState::slowed, CoreState::half_throttled, CoreState::throttled_t4, CoreState::throttled_t7})
      result.parts.polling += joules(state);
    result.parts.probing = joules(CoreState::probing);
    result.total = result.parts.total();
    energy.parts += result.parts;
    energy.nodes.push_back(result);
  }
  energy.total = energy.parts.total();
  return energy;
}

} // namespace farcast::energy
