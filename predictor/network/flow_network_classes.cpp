// The classes of flows: what all messages of one way have in common.
#include "predictor/network/flow_network.h"

#include "predictor/base/slots.h"

#include <algorithm>

namespace farcast::network {

namespace {

constexpr double kCrossTraffic = 0.05; // SimGrid: share of each byte that acknowledgements take on the way back
constexpr double kFastest = 1e18;      // bytes per second; stands for "no limit" where sums must stay finite
// Idle classes kept for their next message; beyond it they are given back, which bounds memory by
// the messages under way.
constexpr std::uint32_t kIdleClassesPerHost = 12;
constexpr std::uint32_t kIdleClassesAtLeast = 4096;

const platform::Factor kNoFactor;

double capacity(base::BytesPerSecond bandwidth) { return std::min(bandwidth.value(), kFastest); }

// Links, then two for each disk.
std::vector<double> capacities_of(const platform::Platform& platform) {
  std::vector<double> capacities;
  capacities.reserve(platform.links.size());
  for (const platform::Link& link : platform.links) capacities.push_back(capacity(link.bandwidth));
  for (const platform::Host& host : platform.hosts) {
    if (host.disk) capacities.insert(capacities.end(), {capacity(host.disk->read), capacity(host.disk->write)});
  }
  return capacities;
}

std::vector<MaxMin::Link> disk_links_of(const platform::Platform& platform) {
  std::vector<MaxMin::Link> links;
  auto next = static_cast<MaxMin::Link>(platform.links.size());
  for (std::size_t host = 0; host < platform.hosts.size(); ++host) {
    if (!platform.hosts[host].disk) continue;
    links.resize(platform.hosts.size());
    links[host] = next;
    next += 2;
  }
  return links;
}

double factor_or_one(const platform::Factor& factor, double bytes) {
  return factor.empty() ? 1.0 : platform::factor_at(factor, bytes);
}

void add_use(std::vector<MaxMin::Use>& uses, MaxMin::Link link, double weight) {
  for (MaxMin::Use& use : uses) {
    if (use.link != link) continue;
    use.weight += weight;
    return;
  }
  uses.push_back(MaxMin::Use{link, weight});
}

} // namespace

FlowNetwork::FlowNetwork(const platform::Platform& platform, const platform::PointToPoint& p2p)
    : platform_(platform), p2p_(p2p), shares_(capacities_of(platform)), last_of_(platform.hosts.size()),
      disk_links_(disk_links_of(platform)) {}

// Adds the disk to `uses_`. Returns: its speed.
double FlowNetwork::use_disk(const Way& way) {
  const bool reads = way.access == Access::read;
  const platform::HostId server = reads ? way.source : way.destination;
  const platform::Disk& disk = *platform_.hosts[server].disk;
  add_use(uses_, disk_links_[server] + (reads ? 0 : 1), 1.0);
  return capacity(reads ? disk.read : disk.write);
}

void FlowNetwork::describe(std::uint32_t index, const Way& way) {
  FlowClass& flow_class = classes_[index];
  const platform::PointToPoint& p2p = p2p_;
  const platform::HostId source = way.source;
  const platform::HostId destination = way.destination;
  const bool on_disk = way.access && source == destination; // crosses no link
  const platform::Route there = on_disk ? platform::Route() : platform_.route(source, destination);
  double bound = kFastest;
  double penalty = 0;
  uses_.clear();
  for (const platform::LinkId id : there.links) {
    const platform::Link& link = platform_.links[id];
    const double bandwidth = std::min(link.bandwidth.value(), kFastest);
    bound = std::min(bound, bandwidth);
    if (bandwidth > 0) penalty += p2p.weight_s / bandwidth;
    if (link.sharing == platform::Sharing::shared) add_use(uses_, id, 1.0);
  }
  if (way.access) bound = std::min(bound, use_disk(way));
  const double latency = there.latency.value();
  if (latency > 0 && p2p.tcp_gamma > 0) bound = std::min(bound, p2p.tcp_gamma / (2.0 * latency));
  if (p2p.crosstraffic && !on_disk) {
    for (const platform::LinkId id : platform_.route(destination, source).links) {
      const platform::Link& link = platform_.links[id];
      if (link.sharing == platform::Sharing::shared)
        add_use(uses_, id, kCrossTraffic);
      else
        bound = std::min(bound, link.bandwidth.value() / kCrossTraffic);
    }
  }
  penalty = latency > 0 ? penalty + latency : 1.0;
  flow_class.latency = std::max(0.0, latency);
  Factors factors{&p2p.latency_factor, &p2p.bandwidth_factor, p2p.envelope_bytes};
  constexpr std::size_t kOwnLinks = 2; // one of each host; whatever is farther has more
  const auto nearer = [&factors](const platform::NearFactors& near) {
    if (!near.latency.empty()) factors.latency = &near.latency;
    if (!near.bandwidth.empty()) factors.bandwidth = &near.bandwidth;
  };
  if (source == destination) nearer(p2p.same_node);
  if (way.same_cache) nearer(p2p.same_cache);
  if (source != destination && there.links.size() <= kOwnLinks) nearer(p2p.same_switch);
  flow_class.factors = index_of(on_disk ? Factors{&kNoFactor, &kNoFactor, 0.0} : factors);
  flow_class.alone_rate = uses_.empty() && bound > 0 ? bound : 0.0;
  if (flow_class.alone_rate > 0) return;
  flow_class.group = shares_.add_group(uses_, std::max(0.0, bound), penalty, index);
}

std::uint32_t FlowNetwork::class_of(const Way& way) {
  const std::uint64_t key = way.key();
  Last& last = last_of_[way.source];
  const auto use = [this](std::uint32_t index) {
    if (classes_[index].idle) --idle_classes_;
    classes_[index].idle = false;
    return index;
  };
  if (last.key == key) return use(last.flow_class);
  const auto [slot, made] = class_index_.emplace(key);
  if (!made) {
    last = {key, *slot};
    return use(*slot);
  }
  const std::uint32_t index = base::take_slot(classes_, free_classes_);
  *slot = index;
  last = {key, index};
  classes_[index].key = key;
  classes_[index].source = way.source;
  describe(index, way);
  return index;
}

// Called when a class has no user left: keeps it for the next message, or gives it back.
void FlowNetwork::release(std::uint32_t index) {
  const std::size_t limit = std::max<std::size_t>(kIdleClassesAtLeast, kIdleClassesPerHost * platform_.hosts.size());
  if (idle_classes_ < limit) {
    ++idle_classes_;
    classes_[index].idle = true;
    return;
  }
  FlowClass& gone = classes_[index];
  class_index_.erase(gone.key);
  if (last_of_[gone.source].key == gone.key) last_of_[gone.source] = {};
  if (!(gone.alone_rate > 0)) shares_.remove_group(gone.group);
  gone = FlowClass{};
  free_classes_.push_back(index);
}

// Finds what a message of that size moves, and how long it waits before.
void FlowNetwork::describe_message(FlowClass& flow_class, double bytes) const {
  const Factors& factors = factors_[flow_class.factors];
  const double size = std::max(0.0, bytes) + factors.envelope_bytes;
  const double factor = factor_or_one(*factors.bandwidth, size);
  flow_class.last_bytes = bytes;
  flow_class.last_work = factor > 0 ? size / factor : size;
  flow_class.last_delay = factor_or_one(*factors.latency, size) * flow_class.latency;
}

std::uint32_t FlowNetwork::index_of(const Factors& factors) {
  const auto found = std::find(factors_.begin(), factors_.end(), factors);
  if (found == factors_.end()) {
    factors_.push_back(factors);
    return static_cast<std::uint32_t>(factors_.size() - 1);
  }
  return static_cast<std::uint32_t>(found - factors_.begin());
}

} // namespace farcast::network
