#include "predictor/host/compute.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::host {

double relative_speed(const platform::Host& host, std::optional<double> option) {
  return option ? *option : host.relative_speed.value_or(1.0);
}

base::Seconds corrected_compute(base::Seconds measured, double region_factor, double relative_speed) {
  return measured * region_factor / relative_speed;
}

std::string describe_compute_speed(const platform::Platform& platform, std::optional<double> option) {
  if (option) {
    return fmt::format("cores are {} times as fast as measured (--relative-speed)", *option);
  }
  const auto has_speed = [](const platform::Host& host) { return host.relative_speed.has_value(); };
  if (std::none_of(platform.hosts.begin(), platform.hosts.end(), has_speed)) {
    return fmt::format("cores are as fast as measured (neither --relative-speed nor platform {} says otherwise)", platform.name);
  }
  const auto slower = [](const platform::Host& a, const platform::Host& b) {
    return relative_speed(a, std::nullopt) < relative_speed(b, std::nullopt);
  };
  const auto [slowest, fastest] = std::minmax_element(platform.hosts.begin(), platform.hosts.end(), slower);
  const double low = relative_speed(*slowest, std::nullopt);
  const double high = relative_speed(*fastest, std::nullopt);
  const std::string speed = low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  return fmt::format("cores are {} times as fast as measured (farcast:relative_speed of platform {})", speed, platform.name);
}

} // namespace farcast::host
