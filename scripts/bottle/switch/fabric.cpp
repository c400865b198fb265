#include "fabric.h"

#include "piece.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace farcast::bottle {

namespace {

std::size_t packets_within(Nanoseconds time, double bits_per_second) {
  const double of_one = 8e9 * kLargestPacketOnWire / bits_per_second;
  return std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(static_cast<double>(time) / of_one)));
}

double wire_bytes(const Segment& segment, std::size_t packet) {
  if (segment.packets == 1) return segment.frame->wire_size().total_bytes;
  return segment.frame->wire_bytes_from(packet) - segment.frame->wire_bytes_from(packet + 1);
}

} // namespace

Fabric::Fabric(std::size_t hosts, double bits_per_second, Nanoseconds half_latency, double backbone_bits_per_second)
    : together_(packets_within(kTogether, bits_per_second)), up_(hosts, Link(bits_per_second, half_latency)),
      down_(hosts, Link(bits_per_second, half_latency)) {
  if (backbone_bits_per_second > 0) backbone_.assign(2, Link(backbone_bits_per_second, 0));
}

// A frame is on its way to the backbone or to its down link.
void Fabric::forward(std::size_t from, std::size_t to, std::unique_ptr<Frame> frame, const Passage& at_switch) {
  const std::size_t packets = packets_of(*frame);
  expect(std::make_shared<Segment>(Segment{std::move(frame), from, to, packets, at_switch}), 0);
}

bool Fabric::crosses_backbone(const Segment& segment) const {
  const std::size_t half = up_.size() / 2;
  return !backbone_.empty() && (segment.from >= half) != (segment.to >= half);
}

void Fabric::push(Coming packet) {
  coming_.push_back(std::move(packet));
  std::push_heap(coming_.begin(), coming_.end(), std::greater<>());
}

// Its packets come to the switch as they leave the up link, one behind the other.
void Fabric::expect(const std::shared_ptr<Segment>& segment, std::size_t packet) {
  const Nanoseconds behind =
      packet + 1 == segment->packets ? 0 : up_[segment->from].time_of(segment->frame->wire_bytes_from(packet + 1));
  push({segment->at_switch.last - behind, order_++, segment, packet, crosses_backbone(*segment)});
}

void Fabric::take_turns(Nanoseconds until, std::vector<Delivery>& deliveries) {
  while (!coming_.empty() && coming_.front().at <= until) {
    std::pop_heap(coming_.begin(), coming_.end(), std::greater<>());
    Coming next = std::move(coming_.back());
    coming_.pop_back();
    const Segment& segment = *next.segment;
    const bool first_link = next.at_backbone || !crosses_backbone(segment);
    if (first_link && next.packet + 1 < segment.packets) expect(next.segment, next.packet + 1);
    Link& link = next.at_backbone ? backbone_[segment.from >= up_.size() / 2 ? 1 : 0] : down_[segment.to];
    const double bytes = wire_bytes(segment, next.packet);
    next.at = link.carry({bytes, bytes}, {next.at, next.at}).last;
    if (next.at_backbone) {
      next.at_backbone = false;
      push(std::move(next));
    } else {
      reach_host(next, deliveries);
    }
  }
}

// With it ends a piece, or does not yet.
void Fabric::reach_host(const Coming& packet, std::vector<Delivery>& deliveries) const {
  Segment& segment = *packet.segment;
  const std::size_t behind = packet.packet + 1;
  if (packet.packet == segment.first) segment.began = packet.at;
  if (behind < segment.packets && behind - segment.first < together_ && packet.at - segment.began < kTogether) return;
  deliveries.push_back({packet.at, packet.segment, segment.first, behind});
  segment.first = behind;
}

} // namespace farcast::bottle
