#include "predictor/host/compute.h"

#include <algorithm>

namespace farcast::host {

double relative_speed(const platform::Host& host, std::optional<double> option) {
  return option ? *option : host.relative_speed.value_or(1.0);
}

base::Seconds corrected_compute(base::Seconds measured, double relative_speed) { return measured / relative_speed; }

ComputeSpeed compute_speed(const platform::Platform& platform, std::optional<double> option) {
  if (option) return {ComputeSpeed::Source::option, *option, *option};
  const auto has_speed = [](const platform::Host& host) { return host.relative_speed.has_value(); };
  if (std::none_of(platform.hosts.begin(), platform.hosts.end(), has_speed)) return {};
  const auto slower = [](const platform::Host& a, const platform::Host& b) {
    return relative_speed(a, std::nullopt) < relative_speed(b, std::nullopt);
  };
  const auto [slowest, fastest] = std::minmax_element(platform.hosts.begin(), platform.hosts.end(), slower);
  return {ComputeSpeed::Source::platform, relative_speed(*slowest, std::nullopt), relative_speed(*fastest, std::nullopt)};
}

} // namespace farcast::host
