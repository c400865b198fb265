#include "predictor/energy/measured_power.h"

#include <fmt/format.h>
#include <vector>

namespace farcast::energy {

namespace {

base::Result<platform::NodePower> power_of(const platform::Host& host, const MeasuredPower& measured) {
  if (host.cores != measured.cores)
    return base::fail(
        fmt::format("found the watts of a node of {} cores, expected {}, as host {} has", measured.cores, host.cores, host.name));
  std::optional<base::Hertz> clock;
  if (host.processor != nullptr) clock = host.processor->states[host.state].frequency;
  const auto state = model::at_frequency(measured.states, clock.value_or(measured.states.back().frequency));
  if (!state) return base::fail(fmt::format("host {}: {}", host.name, state.error().message));
  const auto all = [&](model::Workload workload) { return state->all_active[static_cast<std::size_t>(workload)]; };
  return platform::NodePower{state->idle,
                             state->static_active,
                             all(model::Workload::computing),
                             all(model::Workload::polling),
                             all(model::Workload::probing),
                             !measured.polling_measured};
}

} // namespace

base::Result<void> use_measured_power(platform::Platform& platform, const MeasuredPower& measured) {
  std::vector<platform::NodePower> powers;
  for (const platform::Host& host : platform.hosts) {
    const auto power = power_of(host, measured);
    if (!power) return tl::make_unexpected(power.error());
    powers.push_back(*power);
  }
  for (std::size_t i = 0; i < powers.size(); ++i) platform.hosts[i].power = powers[i];
  return {};
}

} // namespace farcast::energy
