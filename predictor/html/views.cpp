#include "predictor/html/views.h"

#include <algorithm>

namespace farcast::html {

Views::Views(const platform::Platform& platform, const platform::Placement& placement, const Bounds& bounds)
    : line(placement.host_of.size()), traffic(placement.host_of.size(), bounds.traffic_rows), links(platform),
      recorder_(line, false) {
  for (const platform::HostId host : placement.host_of) line.host_of.push_back(platform.hosts[host].name);
  const bool has_watts = std::all_of(placement.host_of.begin(), placement.host_of.end(),
                                     [&](platform::HostId host) { return platform.hosts[host].power.has_value(); });
  if (has_watts) power.emplace(platform, placement, bounds.power_steps);
}

void Views::interval(const sim::Interval& interval) {
  recorder_.interval(interval);
  if (power) power->interval(interval);
}

void Views::posted(const sim::MessagePosted& message) {
  traffic.posted(message);
  arrows.posted(message);
}

void Views::core(const sim::CoreChange& change) {
  if (power) power->core(change);
}

void Views::other_threads(const sim::OtherThreads& use) {
  if (power) power->other_threads(use);
}

void Views::concluded(const sim::Prediction& prediction) {
  recorder_.concluded(prediction);
  links.concluded(prediction);
  if (power) power->concluded(prediction);
}

} // namespace farcast::html
