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
    node.state_of.assign(static_cast<std::size_t>(cores), CoreState::idle);
    node.cores_in[index_of(CoreState::idle)] = cores;
    index_[host] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(std::move(node));
  }
}

void PowerMeter::Node::advance(double time_s) {
  assert(time_s >= last_s);
  const double passed_s = std::max(0.0, time_s - last_s); // a caller's error must not become negative energy
  const bool is_idle = cores_in[index_of(CoreState::idle)] == static_cast<int>(state_of.size());
  (is_idle ? idle_s : active_s) += passed_s;
  for (std::size_t state = 0; state < kCoreStates; ++state) {
    core_s[state] += passed_s * cores_in[state];
  }
  if (threads != nullptr && !is_idle) {
    const int active = static_cast<int>(state_of.size()) - cores_in[index_of(CoreState::idle)];
    const double each = (model::thread_power(*threads, active) - threads->low).value() / active;
    for (std::size_t state = 1; state < kCoreStates; ++state) thread_j[state] += each * passed_s * cores_in[state];
  }
  last_s = std::max(last_s, time_s);
}

void PowerMeter::set(platform::HostId host, int core, CoreState state, base::Seconds time) {
  assert(host < index_.size() && index_[host] != kUnused);
  Node& node = nodes_[index_[host]];
  assert(core >= 0 && static_cast<std::size_t>(core) < node.state_of.size());
  CoreState& current = node.state_of[static_cast<std::size_t>(core)];
  if (current == state) {
    return;
  }
  node.advance(time.value());
  --node.cores_in[index_of(current)];
  ++node.cores_in[index_of(state)];
  current = state;
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
