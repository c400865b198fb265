#include "predictor/platform/frequency.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::platform {

namespace {

// Requires: the host has a processor. Returns: an index of its states, as many as there are when
// none has the frequency.
std::size_t state_at(const Processor& processor, base::Hertz frequency) {
  constexpr double kSame = 1e-9; // relative: as GHz and hertz round
  const auto found = std::find_if(processor.states.begin(), processor.states.end(), [&](const ProcessorState& state) {
    return state.frequency && std::abs(*state.frequency / frequency - 1.0) < kSame;
  });
  return static_cast<std::size_t>(found - processor.states.begin());
}

base::Error lacking(const Platform& platform, const Host& host, base::Hertz frequency) {
  std::vector<double> ghz;
  if (host.processor != nullptr) {
    for (const ProcessorState& state : host.processor->states) {
      if (state.frequency) ghz.push_back(state.frequency->value() / 1e9);
    }
  }
  if (ghz.empty())
    return {fmt::format("found frequency {:g} GHz, but host {} of platform {} names no frequencies (farcast:frequencies)",
                        frequency.value() / 1e9, host.name, platform.name)};
  return {fmt::format("found frequency {:g} GHz, expected one that host {} of platform {} has: {:g} GHz", frequency.value() / 1e9,
                      host.name, platform.name, fmt::join(ghz, ", "))};
}

} // namespace

base::Result<void> choose_frequency(Platform& platform, base::Hertz frequency) {
  for (const Host& host : platform.hosts) {
    if (host.processor == nullptr || state_at(*host.processor, frequency) == host.processor->states.size())
      return tl::make_unexpected(lacking(platform, host, frequency));
  }
  for (Host& host : platform.hosts) {
    host.state = state_at(*host.processor, frequency);
    const ProcessorState& state = host.processor->states[host.state];
    host.speed = state.speed;
    host.power = state.power;
  }
  return {};
}

} // namespace farcast::platform
