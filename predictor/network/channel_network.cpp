#include "predictor/network/channel_network.h"

#include "predictor/base/slots.h"

#include <algorithm>
#include <functional>

namespace farcast::network {

namespace {

// Latency comes after a fragment has left, not before it shares; nothing is added to sizes, and no
// window bounds a rate.
platform::PointToPoint bare_parameters(const platform::PointToPoint& p2p) {
  platform::PointToPoint bare;
  bare.latency_factor = {platform::FactorSection{0, 0.0}};
  bare.envelope_bytes = 0;
  bare.tcp_gamma = 0;
  bare.weight_s = p2p.weight_s;
  bare.crosstraffic = false;
  return bare;
}

} // namespace

ChannelNetwork::ChannelNetwork(const platform::Platform& platform)
    : platform_(platform), bare_(bare_parameters(platform.p2p)), flows_(platform, bare_) {}

std::uint32_t ChannelNetwork::take_fragment() {
  const std::uint32_t fragment = base::take_slot(fragments_, free_fragments_);
  fragments_[fragment] = Fragment{};
  return fragment;
}

std::uint32_t ChannelNetwork::channel_of(const Pair& pair) {
  const std::uint64_t processes = static_cast<std::uint64_t>(pair.source) << 32 | pair.destination;
  const auto [slot, made] = channel_index_.emplace(processes);
  if (!made) return *slot;
  const std::uint32_t index = base::take_slot(channels_, free_channels_);
  *slot = index;
  channels_[index] = Channel{processes, kNone, kNone, pair.source_host, pair.destination_host};
  return index;
}

void ChannelNetwork::send(const Pair& pair, double bytes, Token token, bool report_left, bool may_pass, double now_s) {
  now_ = std::max(now_, now_s);
  const std::uint32_t index = take_fragment();
  Fragment& fragment = fragments_[index];
  fragment.wire_bytes = wire_bytes(platform_.transport, std::max(0.0, bytes));
  fragment.latency = std::max(0.0, platform_.route(pair.source_host, pair.destination_host).latency.value());
  fragment.token = token;
  fragment.report_left = report_left;
  ++in_flight_;
  if (may_pass) return flows_.start(pair.source_host, pair.destination_host, fragment.wire_bytes, index, now_);
  fragment.channel = channel_of(pair);
  Channel& channel = channels_[fragment.channel];
  if (channel.head == kNone) {
    channel.head = channel.tail = index;
    flows_.start(pair.source_host, pair.destination_host, fragment.wire_bytes, index, now_);
    return;
  }
  fragments_[channel.tail].next = index;
  channel.tail = index;
}

double ChannelNetwork::next_event() {
  const double next = flows_.next_event();
  return landing_.empty() ? next : std::min(next, landing_.front().at);
}

// The fragment's last byte is on its way: the next one of its channel follows.
void ChannelNetwork::leave(std::uint32_t index, std::vector<Event>& events) {
  const Fragment fragment = fragments_[index];
  free_fragments_.push_back(index);
  if (fragment.report_left) events.push_back(Event{fragment.token, Event::Kind::left});
  landing_.push_back(Landing{now_ + fragment.latency, order_++, fragment.token});
  std::push_heap(landing_.begin(), landing_.end(), std::greater<>());
  if (fragment.channel == kNone) return;
  Channel& channel = channels_[fragment.channel];
  channel.head = fragment.next;
  if (channel.head != kNone) {
    flows_.start(channel.source, channel.destination, fragments_[channel.head].wire_bytes, channel.head, now_);
    return;
  }
  channel_index_.erase(channel.processes);
  free_channels_.push_back(fragment.channel);
}

void ChannelNetwork::advance(double now_s, std::vector<Event>& events) {
  now_ = std::max(now_, now_s);
  left_.clear();
  flows_.advance(now_, left_);
  for (const FlowNetwork::Token fragment : left_) leave(fragment, events);
  const double due = now_ * (1 + FlowNetwork::kInstant);
  while (!landing_.empty() && landing_.front().at <= due) {
    events.push_back(Event{landing_.front().token, Event::Kind::arrived});
    std::pop_heap(landing_.begin(), landing_.end(), std::greater<>());
    landing_.pop_back();
    --in_flight_;
  }
}

} // namespace farcast::network
