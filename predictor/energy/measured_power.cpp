#include "predictor/energy/measured_power.h"

#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace farcast::energy {

namespace {

platform::NodePower power_of(const model::PowerState& state, const MeasuredPower& measured) {
  const auto all = [&](model::Workload workload) { return state.all_active[static_cast<std::size_t>(workload)]; };
  return {state.idle,
          state.static_active,
          all(model::Workload::computing),
          all(model::Workload::polling),
          all(model::Workload::probing),
          !measured.polling_measured,
          measured.memory_measured ? std::optional(all(model::Workload::memory)) : std::nullopt};
}

base::Result<platform::NodePower> power_of(const platform::Host& host, const MeasuredPower& measured) {
  if (host.cores != measured.cores)
    return base::fail(
        fmt::format("found the watts of a node of {} cores, expected {}, as host {} has", measured.cores, host.cores, host.name));
  std::optional<base::Hertz> clock;
  if (host.processor != nullptr) clock = host.processor->states[host.state].frequency;
  const auto state = model::at_frequency(measured.states, clock.value_or(measured.states.back().frequency));
  if (!state) return base::fail(fmt::format("host {}: {}", host.name, state.error().message));
  return power_of(*state, measured);
}

std::shared_ptr<const platform::Processor> with_power(const platform::Processor& processor, const MeasuredPower& measured) {
  auto out = std::make_shared<platform::Processor>(processor);
  for (platform::ProcessorState& state : out->states) {
    state.power.reset();
    if (!state.frequency) continue;
    if (const auto found = model::at_frequency(measured.states, *state.frequency)) state.power = power_of(*found, measured);
  }
  return out;
}

} // namespace

base::Result<void> use_measured_power(platform::Platform& platform, const MeasuredPower& measured) {
  std::vector<platform::NodePower> powers;
  for (const platform::Host& host : platform.hosts) {
    const auto power = power_of(host, measured);
    if (!power) return tl::make_unexpected(power.error());
    powers.push_back(*power);
  }
  std::map<const platform::Processor*, std::shared_ptr<const platform::Processor>> processors;
  for (std::size_t i = 0; i < powers.size(); ++i) {
    platform::Host& host = platform.hosts[i];
    host.power = powers[i];
    if (host.processor == nullptr) continue;
    auto& processor = processors[host.processor.get()];
    if (processor == nullptr) processor = with_power(*host.processor, measured);
    host.processor = processor;
  }
  return {};
}

} // namespace farcast::energy
