#include "predictor/network/flow_network.h"

#include "predictor/base/fetch_ahead.h"
#include "predictor/base/slots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

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
  flow_class.latency_factor = &p2p.latency_factor;
  flow_class.bandwidth_factor = &p2p.bandwidth_factor;
  constexpr std::size_t kOwnLinks = 2; // one of each host; whatever is farther has more
  const auto nearer = [&flow_class](const platform::NearFactors& near) {
    if (!near.latency.empty()) flow_class.latency_factor = &near.latency;
    if (!near.bandwidth.empty()) flow_class.bandwidth_factor = &near.bandwidth;
  };
  if (source == destination) nearer(p2p.same_node);
  if (way.same_cache) nearer(p2p.same_cache);
  if (source != destination && there.links.size() <= kOwnLinks) nearer(p2p.same_switch);
  if (on_disk) flow_class.latency_factor = flow_class.bandwidth_factor = &kNoFactor;
  flow_class.envelope_bytes = on_disk ? 0.0 : p2p.envelope_bytes;
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

void FlowNetwork::start(platform::HostId source, platform::HostId destination, double bytes, Token token, double now_s,
                        bool same_cache) {
  start_on({source, destination, {}, same_cache}, bytes, token, now_s);
}

void FlowNetwork::start_access(platform::HostId host, Access access, double bytes, Token token, double now_s) {
  const platform::HostId server = platform_.storage_of(host).value_or(host);
  start_on(access == Access::read ? Way{server, host, access} : Way{host, server, access}, bytes, token, now_s);
}

void FlowNetwork::start_on(const Way& way, double bytes, Token token, double now_s) {
  now_ = std::max(now_, now_s);
  const std::uint32_t index = class_of(way);
  FlowClass& flow_class = classes_[index];
  const double size = std::max(0.0, bytes) + flow_class.envelope_bytes;
  ++flow_class.users;
  ++in_flight_;
  const double factor = factor_or_one(*flow_class.bandwidth_factor, size);
  const double work = factor > 0 ? size / factor : size;
  const double delay = factor_or_one(*flow_class.latency_factor, size) * flow_class.latency;
  if (flow_class.alone_rate > 0) {
    arriving_.push(now_ + delay + work / flow_class.alone_rate, Arrival{index, token});
    return;
  }
  if (!(delay > 0)) {
    begin_sharing(index, work, order_++, token, now_);
    return;
  }
  pending_.push(now_ + delay, Pending{order_++, work, index, token});
}

void FlowNetwork::touch(std::uint32_t index) {
  if (classes_[index].touched) return;
  classes_[index].touched = true;
  touched_.push_back(index);
}

void FlowNetwork::bring_up(FlowClass& flow_class, double now_s) const {
  flow_class.clock += flow_class.rate * (now_s - flow_class.updated);
  flow_class.updated = now_s;
}

void FlowNetwork::add_ending(FlowClass& flow_class, Ending ending) {
  if (flow_class.first.at_clock == kNever) {
    flow_class.first = ending;
    return;
  }
  if (flow_class.first > ending) std::swap(flow_class.first, ending);
  if (flow_class.others == kNone) flow_class.others = base::take_slot(endings_, free_endings_);
  std::vector<Ending>& others = endings_[flow_class.others];
  others.push_back(ending);
  std::push_heap(others.begin(), others.end(), std::greater<>());
}

void FlowNetwork::drop_first_ending(FlowClass& flow_class) {
  if (flow_class.others == kNone) {
    flow_class.first = kNoEnding;
    return;
  }
  std::vector<Ending>& others = endings_[flow_class.others];
  flow_class.first = others.front();
  std::pop_heap(others.begin(), others.end(), std::greater<>());
  others.pop_back();
  if (others.empty()) free_endings_.push_back(std::exchange(flow_class.others, kNone));
}

void FlowNetwork::begin_sharing(std::uint32_t index, double work, std::uint64_t order, Token token, double now_s) {
  FlowClass& flow_class = classes_[index];
  if (flow_class.first.at_clock == kNever) {
    flow_class.clock = 0; // restarting keeps the clock's rounding that of one flow
    flow_class.updated = now_s;
  } else {
    bring_up(flow_class, now_s);
  }
  add_ending(flow_class, Ending{flow_class.clock + work, order, token});
  shares_.change_flows(flow_class.group, 1);
  touch(index);
}

void FlowNetwork::end_flows(std::uint32_t index, double now_s, double tolerance, std::vector<Token>& arrived) {
  FlowClass& flow_class = classes_[index];
  bring_up(flow_class, now_s);
  // The head is due by the queue of classes, whatever rounding says; others only when their clock
  // reading is reached.
  const double reading = std::max(flow_class.first.at_clock, flow_class.clock + flow_class.rate * tolerance);
  int ended = 0;
  while (flow_class.first.at_clock != kNever && flow_class.first.at_clock <= reading) {
    arrived.push_back(flow_class.first.token);
    drop_first_ending(flow_class);
    ++ended;
  }
  flow_class.users -= static_cast<std::uint32_t>(ended);
  in_flight_ -= static_cast<std::uint64_t>(ended);
  shares_.change_flows(flow_class.group, -ended);
  touch(index);
}

void FlowNetwork::schedule(std::uint32_t index) {
  const FlowClass& flow_class = classes_[index];
  if (flow_class.first.at_clock == kNever || !(flow_class.rate > 0)) {
    finishing_.erase(index);
    return;
  }
  const double left = std::max(0.0, flow_class.first.at_clock - flow_class.clock);
  finishing_.set(index, flow_class.updated + left / flow_class.rate);
}

// Rates are others from now on.
void FlowNetwork::tell_loads() {
  for (platform::LinkId link = 0; link < loads_.size() && link < platform_.links.size(); ++link) {
    const double bytes = loads_[link] * (now_ - loaded_since_);
    if (bytes > 0) watcher_({link, loaded_since_, now_, bytes});
  }
  loads_ = shares_.loads();
  loaded_since_ = now_;
}

// Makes one change of everything that began or ended since the last call.
void FlowNetwork::settle() {
  if (touched_.empty()) return;
  changed_.clear();
  shares_.solve(changed_);
  if (watcher_) tell_loads();
  const auto take_rate = [this](MaxMin::Group group) {
    const std::uint32_t index = shares_.owner(group);
    FlowClass& flow_class = classes_[index];
    bring_up(flow_class, now_);
    flow_class.rate = shares_.rate(group);
    if (!flow_class.touched) schedule(index);
  };
  base::for_each_fetched(
      changed_, take_rate, [this](MaxMin::Group group) { shares_.fetch_state(group); },
      [this](MaxMin::Group group) { fetch_clock(shares_.owner(group)); });
  const auto settle_touched = [this](std::uint32_t index) {
    FlowClass& flow_class = classes_[index];
    flow_class.touched = false;
    if (flow_class.first.at_clock == kNever) flow_class.rate = 0;
    schedule(index);
    if (flow_class.users == 0) release(index);
  };
  base::for_each_fetched(touched_, settle_touched, [this](std::uint32_t index) { fetch_clock(index); });
  touched_.clear();
}

double FlowNetwork::next_event() {
  settle();
  double next = kNever;
  if (!pending_.empty()) next = pending_.top_time();
  if (!arriving_.empty()) next = std::min(next, arriving_.top_time());
  if (!finishing_.empty()) next = std::min(next, finishing_.top_time());
  return next;
}

void FlowNetwork::fetch_last_of(platform::HostId source) const { __builtin_prefetch(&last_of_[source]); }

void FlowNetwork::fetch_class_of(platform::HostId source) const {
  if (last_of_[source].key == UINT64_MAX) return;
  const FlowClass& flow_class = classes_[last_of_[source].flow_class];
  __builtin_prefetch(&flow_class, 1);
  __builtin_prefetch(&flow_class.clock, 1);
}

// Flows begin and end in no order that a cache could foresee, and each leads from line to line:
// class, group, links, their other groups. Each class that comes up fetches the next line of those
// before it.
// Returns: false when it has come up a moment ago.
bool FlowNetwork::foresee(FetchWindow& window, std::uint32_t index) {
  if (window.has(index)) return false;
  if (window.full()) {
    shares_.fetch_others(classes_[window.before(3)].group);
    shares_.fetch_links(classes_[window.before(2)].group);
    shares_.fetch(classes_[window.before(1)].group);
  }
  window.add(index);
  fetch_clock(index);
  return true;
}

void FlowNetwork::foresee_pending() {
  pending_.look_ahead([this](const Pending& pending) { foresee(beginning_, pending.flow_class); });
}

void FlowNetwork::look_ahead(std::vector<Token>& soon) {
  if (in_flight_ < base::kFetchMany) return;
  foresee_pending();
  finishing_.look_ahead([&](std::uint32_t index) {
    if (!foresee(ending_, index) || !ending_.full()) return;
    const Ending& first = classes_[ending_.before(1)].first;
    if (first.at_clock != kNever) soon.push_back(first.token);
  });
}

void FlowNetwork::end_alone(double due, std::vector<Token>& arrived) {
  arriving_.take(due, [&](const Arrival& arrival) {
    arrived.push_back(arrival.token);
    --in_flight_;
    if (--classes_[arrival.flow_class].users == 0) release(arrival.flow_class);
  });
}

void FlowNetwork::advance(double now_s, std::vector<Token>& arrived) {
  settle();
  now_ = std::max(now_, now_s);
  const double tolerance = kInstant * now_;
  const double due = now_ + tolerance;
  due_.clear();
  finishing_.take(due, due_);
  base::for_each_fetched(
      due_, [&](std::uint32_t index) { end_flows(index, now_, tolerance, arrived); },
      [this](std::uint32_t index) { fetch_clock(index); }, [this](std::uint32_t index) { shares_.fetch(classes_[index].group); },
      [this](std::uint32_t index) { shares_.fetch_links(classes_[index].group); });
  end_alone(due, arrived);
  pending_.take(due, [this](const Pending& ready) {
    if (in_flight_ >= base::kFetchMany) foresee_pending();
    begin_sharing(ready.flow_class, ready.work, ready.order, ready.token, now_);
  });
}

} // namespace farcast::network
