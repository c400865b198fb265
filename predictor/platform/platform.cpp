#include "predictor/platform/platform.h"

#include <algorithm>

namespace farcast::platform {

PointToPoint simgrid_defaults() {
  PointToPoint p2p;
  p2p.latency_factor = {{0, 2.01467},    {257, 1.95341},  {732, 1.9503},    {1426, 1.61075}, {3484, 1.88101},
                        {5776, 2.18796}, {9376, 2.59299}, {15424, 3.48845}, {65472, 11.6436}};
  p2p.bandwidth_factor = {{0, 0.812084},   {257, 0.338112}, {732, 0.341987},   {1426, 0.608902}, {3484, 0.77493},
                          {5776, 1.08739}, {9376, 0.58729}, {15424, 0.697866}, {65472, 0.940694}};
  return p2p;
}

namespace {

// The last section whose boundary is below `bytes`; the end when `bytes` is not above any boundary.
template <class Sections> auto section_at(const Sections& sections, double bytes) {
  const auto above = std::partition_point(sections.begin(), sections.end(),
                                          [bytes](const auto& section) { return section.above_bytes < bytes; });
  return above == sections.begin() ? sections.end() : std::prev(above);
}

} // namespace

double factor_at(const Factor& factor, double bytes) {
  const auto section = section_at(factor, bytes);
  return section == factor.end() ? 1.0 : section->factor; // SimGrid: no correction up to the first boundary
}

base::Seconds overhead_at(const Overhead& overhead, double bytes) {
  const auto section = section_at(overhead, bytes);
  if (section == overhead.end()) {
    return base::Seconds(0.0);
  }
  return base::Seconds(section->base_s + section->per_byte_s * bytes);
}

base::Seconds message_overhead_at(const PointToPoint& p2p, const Overhead& overhead, double bytes) {
  return overhead_at(overhead, p2p.measured ? std::max(1.0, bytes) : bytes);
}

base::Seconds self_message_at(const PointToPoint& p2p, double bytes) {
  if (!p2p.self_message.empty()) {
    return std::max(base::Seconds(0.0), overhead_at(p2p.self_message, std::max(1.0, bytes)));
  }
  const double bandwidth = p2p.loopback_bandwidth.value();
  return p2p.loopback_latency + base::Seconds(bandwidth > 0 ? bytes / bandwidth : 0.0);
}

namespace {

bool has_lower_clock(const ProcessorState& a, const ProcessorState& b) {
  return a.frequency ? a.frequency->value() < b.frequency->value() : a.speed.value() < b.speed.value();
}

} // namespace

std::size_t Processor::slowest() const {
  return static_cast<std::size_t>(std::min_element(states.begin(), states.end(), has_lower_clock) - states.begin());
}

double Processor::clock(std::size_t state) const {
  const ProcessorState& highest = *std::max_element(states.begin(), states.end(), has_lower_clock);
  return highest.frequency ? *states[state].frequency / *highest.frequency : states[state].speed / highest.speed;
}

Route Platform::route(HostId src, HostId dst) const {
  Route route;
  topology.route(src, dst, route.links);
  for (const LinkId link : route.links) {
    route.latency += links[link].latency;
  }
  return route;
}

bool Platform::has_power() const {
  return !hosts.empty() && std::all_of(hosts.begin(), hosts.end(), [](const Host& host) { return host.power.has_value(); });
}

} // namespace farcast::platform
