#include "predictor/host/compute.h"

#include "predictor/model/frequency_law.h"

#include <algorithm>

namespace farcast::host {

namespace {

using platform::Host;
using Source = ComputeSpeed::Source;

base::FlopsPerSecond first_speed(const Host& host) {
  return host.processor == nullptr ? host.speed : host.processor->states.front().speed;
}

bool has_states(const Host& host) { return host.processor != nullptr && host.processor->states.size() > 1; }

// How much longer a computation takes than in the first state.
double state_factor(const Host& host) {
  if (host.state == 0 || !has_states(host)) return 1.0;
  const auto factor = [&](std::size_t state) {
    return model::clock_factor(host.processor->clock_share.value_or(1.0), base::Hertz(1.0),
                               base::Hertz(host.processor->clock(state)));
  };
  return factor(host.state) / factor(0);
}

// The frequency that all hosts are at, where some have several to choose from.
std::optional<base::Hertz> common_frequency(const std::vector<Host>& hosts) {
  const auto frequency = [](const Host& host) {
    return host.processor == nullptr ? std::nullopt : host.processor->states[host.state].frequency;
  };
  if (std::none_of(hosts.begin(), hosts.end(), has_states)) return std::nullopt;
  const std::optional<base::Hertz> first = frequency(hosts.front());
  const bool same = std::all_of(hosts.begin(), hosts.end(), [&](const Host& host) { return frequency(host) == first; });
  return same ? first : std::nullopt;
}

} // namespace

base::Seconds corrected_compute(base::Seconds measured, double relative_speed) { return measured / relative_speed; }

Speeds::Speeds(const platform::Platform& platform, const AskedSpeed& asked) : platform_(platform), asked_(asked) {
  if (asked.of_trace || asked.relative) return;
  reference_ = asked.machine ? asked.machine : platform.measuring_speed;
  if (reference_) return;
  const auto first = std::find_if(platform.hosts.begin(), platform.hosts.end(),
                                  [](const Host& host) { return !host.relative_speed && first_speed(host).value() > 0.0; });
  if (first == platform.hosts.end()) return;
  first_ = &*first;
  reference_ = first_speed(*first);
}

double Speeds::of(const Host& host) const {
  if (asked_.of_trace) return 1.0;
  double speed = 1.0;
  if (asked_.relative)
    speed = *asked_.relative;
  else if (host.relative_speed)
    speed = *host.relative_speed;
  else if (reference_ && first_speed(host).value() > 0.0)
    speed = first_speed(host) / *reference_;
  return speed / state_factor(host);
}

ComputeSpeed Speeds::summary() const {
  ComputeSpeed out;
  if (asked_.of_trace) {
    out.source = Source::trace;
    return out;
  }
  const std::vector<Host>& hosts = platform_.hosts;
  for (const Host& host : hosts) {
    const double speed = of(host);
    out.slowest = &host == &hosts.front() ? speed : std::min(out.slowest, speed);
    out.fastest = &host == &hosts.front() ? speed : std::max(out.fastest, speed);
    out.clock_assumed = out.clock_assumed || (host.state > 0 && has_states(host) && !host.processor->clock_share);
  }
  out.frequency = common_frequency(hosts);
  const auto says = [](const Host& host) { return host.relative_speed.has_value(); };
  if (asked_.relative)
    out.source = Source::option;
  else if (std::any_of(hosts.begin(), hosts.end(), says))
    out.source = Source::platform;
  else if (asked_.machine)
    out.source = Source::machine;
  else if (platform_.measuring_speed)
    out.source = Source::configured;
  else if (first_ != nullptr && (out.slowest != 1.0 || out.fastest != 1.0)) {
    out.source = Source::first_host;
    out.first_host = first_->name;
  }
  return out;
}

} // namespace farcast::host
