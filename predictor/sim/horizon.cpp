#include "predictor/sim/horizon.h"

#include <limits>
#include <set>

namespace farcast::sim {

namespace {

// Returns: the least factor that a message of any size may have; where a list begins above 0 bytes,
// those below have none.
double least_factor(const platform::PointToPoint& p2p) {
  double least = 1;
  for (const platform::Factor* factor :
       {&p2p.latency_factor, &p2p.same_cache.latency, &p2p.same_node.latency, &p2p.same_switch.latency}) {
    for (const platform::FactorSection& section : *factor) least = std::min(least, section.factor);
  }
  return least;
}

} // namespace

double Horizon::quickest_message(const MessageLayer& layer) const {
  const platform::Platform& platform = setting_.platform;
  if (setting_.options.network == NetworkModel::blocks) return 0; // formulas know no latency
  const bool flows = layer.use().model == MessageModel::smpi;
  std::set<platform::HostId> hosts;
  std::set<platform::HostId> shared;
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(setting_.ranks); ++rank) {
    if (!hosts.insert(setting_.host_of(rank)).second) shared.insert(setting_.host_of(rank));
  }
  if (!flows && !shared.empty()) return 0; // the library's own way within a node
  double latency = std::numeric_limits<double>::infinity();
  for (const platform::HostId from : hosts) {
    for (const platform::HostId to : hosts) {
      if (from != to || shared.contains(from)) latency = std::min(latency, platform.route(from, to).latency.value());
    }
  }
  return latency * (flows ? least_factor(platform.p2p) : 1.0);
}

Quiet Horizon::quiet(std::uint32_t rank, bool for_messages, MessageLayer& layer) {
  if (scheduler_.others_act() || layer.unread(rank)) {
    Quiet out;
    out.pace = computation_.stretch(rank);
    return out;
  }
  if (!(computation_.stretch(rank) > 0)) return {};
  if (!quickest_) quickest_ = quickest_message(layer);
  double until = for_messages ? scheduler_.next_for(rank, *quickest_) : scheduler_.next_event();
  if (for_messages) {
    until = std::min(until, next_messages(layer, comes_));
    for (std::uint32_t other = 0; other < comes_.size(); ++other)
      until = std::min(until, comes_[other] + (other == rank ? 0 : *quickest_));
  } else {
    until = std::min({until, network_.next_event(), layer.next_event()});
  }
  Quiet out = quiet_until(rank, scheduler_.now(), until);
  out.messages = for_messages;
  return out;
}

// A message that others hold up comes later than soonest, and with some event of the network.
double Horizon::next_messages(MessageLayer& layer, std::vector<double>& comes) {
  comes.assign(static_cast<std::size_t>(setting_.ranks), std::numeric_limits<double>::infinity());
  const double network = network_.next_event();
  if (!flows_.soonest(comes)) return std::min(network, layer.next_event());
  for (double& soonest : comes) soonest = std::max(soonest, network);
  return layer.next_event();
}

Quiet Horizon::quiet_until(std::uint32_t rank, double from, double until) const {
  const double stretch = computation_.stretch(rank);
  if (!(stretch > 0)) return {};
  const platform::PointToPoint& p2p = setting_.platform.p2p;
  const auto cost = [](const auto& given) { return given ? given->value() : 0.0; };
  const double longest = std::max(stretch, 1.0); // the time may pass in calls alone, which nothing stretches
  Quiet out;
  out.seconds = std::min((until - from) / longest, kLongest);
  out.poll = std::max(cost(p2p.iprobe_cost), cost(p2p.test_cost)) / longest;
  out.pace = stretch;
  if (p2p.iprobe_cost || p2p.test_cost) out.least_poll = std::min(cost(p2p.iprobe_cost), cost(p2p.test_cost));
  return out;
}

void Horizon::bound(std::uint32_t rank, MessageLayer& layer, trace::Bounds& out) {
  if (!quickest_) quickest_ = quickest_message(layer);
  out.delay = computation_.stretch(rank) > 0 ? *quickest_ : 0;
  const double messages = next_messages(layer, out.comes);
  out.acts = out.comes; // who waits goes on with one
  out.events = std::min(messages, scheduler_.now() + kLongest * computation_.stretch(rank));
  scheduler_.for_each_event([&](const EventQueue::Event& event) {
    double& until =
        event.strand < out.acts.size() ? out.acts[event.strand] : out.events; // main strands have their ranks' numbers
    until = std::min(until, event.time);
  });
  out.acts[rank] = scheduler_.now();
}

} // namespace farcast::sim
