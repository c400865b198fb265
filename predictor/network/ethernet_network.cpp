#include "predictor/network/ethernet_network.h"

#include "predictor/base/slots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace farcast::network {

namespace {

// Idle connections kept for their next message: their ways need not be looked up again.
constexpr std::size_t kIdlePerHost = 8;
constexpr std::size_t kIdleAtLeast = 4096;

constexpr double kTrainsInWindow = 5; // two packets of the first ten: as often as a receiver acknowledges

} // namespace

EthernetNetwork::EthernetNetwork(const platform::Platform& platform)
    : platform_(platform),
      packet_(platform.transport.packet_payload > 0 ? wire_bytes(platform.transport, platform.transport.packet_payload) : 0.0),
      free_at_(platform.links.size(), 0.0) {}

std::uint32_t EthernetNetwork::connection_of(const Pair& pair) {
  const std::uint64_t processes = static_cast<std::uint64_t>(pair.source) << 32 | pair.destination;
  const auto [slot, made] = connection_index_.emplace(processes);
  if (!made) {
    if (connections_[*slot].users == 0) --idle_connections_;
    return *slot;
  }
  const std::uint32_t index = base::take_slot(connections_, free_connections_);
  *slot = index;
  Connection& connection = connections_[index];
  connection = Connection{};
  connection.processes = processes;
  const platform::Route route = platform_.route(pair.source_host, pair.destination_host);
  connection.hops = hops_of(route);
  connection.back = hops_of(platform_.route(pair.destination_host, pair.source_host));
  connection.latency = std::max(0.0, route.latency.value());
  connection.round_trip = 2 * connection.latency; // that of the handshake
  if (pair.source_host == pair.destination_host || connection.hops.empty() || connection.back.empty()) return index;
  connection.slowest = connection.hops.front().bytes_per_second;
  for (const Hop& hop : connection.hops) connection.slowest = std::min(connection.slowest, hop.bytes_per_second);
  return index;
}

std::vector<EthernetNetwork::Hop> EthernetNetwork::hops_of(const platform::Route& route) const {
  std::vector<Hop> out;
  out.reserve(route.links.size());
  for (const platform::LinkId id : route.links) {
    const platform::Link& link = platform_.links[id];
    out.push_back(Hop{id, std::max(0.0, link.bandwidth.value()), std::max(0.0, link.latency.value()),
                      link.sharing == platform::Sharing::shared});
  }
  return out;
}

// What is sent now is sent into an idle connection: a new one, or one whose window has shrunk
// meanwhile.
void EthernetNetwork::set_window(Connection& connection, double now_s) const {
  const platform::Transport& transport = platform_.transport;
  connection.limited = false;
  const double first = transport.first_window * wire_bytes(transport, transport.packet_payload);
  if (!(transport.packet_payload > 0 && first > 0) || connection.latency == 0 || first >= transport.socket_buffer) {
    connection.window = transport.socket_buffer;
    return;
  }
  const double timeouts = std::floor((now_s - connection.given_at) / (kIdle + 2 * connection.latency));
  connection.window = std::max(first, std::ldexp(connection.window, -static_cast<int>(std::min(timeouts, 64.0))));
}

// Nobody uses the connection now: keeps it for the next message, or gives it back.
void EthernetNetwork::release(std::uint32_t index) {
  if (idle_connections_ < std::max(kIdleAtLeast, kIdlePerHost * platform_.hosts.size())) {
    ++idle_connections_;
    return;
  }
  connection_index_.erase(connections_[index].processes);
  connections_[index] = Connection{};
  free_connections_.push_back(index);
}

void EthernetNetwork::plan(double at, Due::What what, std::uint32_t which, double bytes) {
  due_.push_back(Due{at, order_++, bytes, which, what});
  std::push_heap(due_.begin(), due_.end(), std::greater<>());
}

double EthernetNetwork::last_piece(double bytes) const {
  const double payload = platform_.transport.packet_payload;
  if (!(payload > 0 && bytes > 0)) return bytes;
  const double train = std::max(kTrainPackets * payload, bytes / kMostTrains);
  return bytes - (std::ceil(bytes / train) - 1) * train;
}

void EthernetNetwork::send(const Pair& pair, double bytes, Token token, bool report_left, bool /*may_pass*/, double now_s) {
  const std::uint32_t index = base::take_slot(fragments_, free_fragments_);
  Fragment& fragment = fragments_[index];
  fragment = Fragment{};
  fragment.wire_bytes = fragment.left_bytes = wire_bytes(platform_.transport, std::max(0.0, bytes));
  fragment.token = token;
  fragment.report_left = report_left;
  ++in_flight_;
  const std::uint32_t at = connection_of(pair);
  Connection& connection = connections_[at];
  if (connection.users == 0) set_window(connection, now_s);
  ++connection.users;
  if (connection.head == kNone)
    connection.head = index;
  else
    fragments_[connection.tail].next = index;
  connection.tail = index;
  connection.waiting += fragment.wire_bytes;
  if (!is_corked(at, now_s)) give_to_card(at, now_s);
}

// As tcp_should_autocork of Linux. What has come by the time that something leaves goes together.
bool EthernetNetwork::is_corked(std::uint32_t index, double now_s) {
  Connection& connection = connections_[index];
  if (!(packet_ > 0)) return false;
  const auto next =
      std::find_if(connection.card.begin(), connection.card.end(), [now_s](const InCard& one) { return one.until > now_s; });
  if (next == connection.card.end()) return false;
  if (!(connection.waiting < pace_of(connection, fragments_[connection.head]).segment)) return false;
  wait_for_card(index, next->until);
  return true;
}

void EthernetNetwork::wait_for_card(std::uint32_t index, double until_s) {
  Connection& connection = connections_[index];
  if (connection.waits_for_card) return;
  ++connection.users;
  connection.waits_for_card = true;
  plan(until_s, Due::What::room_in_card, index);
}

// As tcp_update_pacing_rate, tcp_tso_autosize and tcp_small_queue_check of Linux.
EthernetNetwork::Pace EthernetNetwork::pace_of(const Connection& connection, const Fragment& fragment) const {
  const double uncut = kTrainPackets * packet_, share = fragment.wire_bytes / kMostTrains;
  if (!(packet_ > 0 && connection.round_trip > 0)) return {std::max(uncut, share), std::numeric_limits<double>::infinity()};
  const double paced = kPacing * connection.window / connection.round_trip * kSegmentTime;
  const double halvings = std::floor(2 * connection.latency / kNearby);
  const double packets = std::floor((paced + std::ldexp(uncut, -static_cast<int>(std::min(halvings, 32.0)))) / packet_);
  return {share > uncut ? share : std::clamp(packets, kLeastPackets, kTrainPackets) * packet_, paced};
}

// Whole packets. Where the window has no room for a segment, acknowledgements make it: some packets
// at a time.
double EthernetNetwork::largest_train(const Connection& connection, double segment) const {
  const double free = connection.window - connection.on_the_way;
  if (free >= segment) return segment;
  const double share = std::min(connection.window / kTrainsInWindow, free);
  const double packets = std::floor(share * (1 + 1e-9) / packet_);
  return std::min(segment, std::max(1.0, packets) * packet_);
}

// Returns: whether less than `most` bytes of the connection stand in its card; else it is told when
// that is so.
bool EthernetNetwork::has_room_in_card(std::uint32_t index, double most, double now_s) {
  const Connection& connection = connections_[index];
  double bytes = 0;
  for (auto one = connection.card.rbegin(); one != connection.card.rend() && one->until > now_s; ++one) {
    bytes += one->bytes;
    if (bytes < most * (1 - 1e-9)) continue;
    wait_for_card(index, one->until);
    return false;
  }
  return true;
}

// The train stands in the card until its last byte is on the first link.
void EthernetNetwork::note_in_card(Connection& connection, const Train& train, double now_s) {
  if (connection.hops.empty() || !connection.hops.front().queues) return; // of a host to itself; a fat pipe
  InCard& last = connection.card.back();
  const double until = train.last - connection.hops.front().latency;
  if (connection.card.front().until > now_s) { // no place for one more: they count as one
    last = {until, last.bytes + train.bytes};
    return;
  }
  std::rotate(connection.card.begin(), connection.card.begin() + 1, connection.card.end());
  last = {until, train.bytes};
}

// What stands in the socket is a stream: fragments that wait together share segments. Without
// packets each has its own.
void EthernetNetwork::fill(Connection& connection, Train& train, double most) {
  std::uint32_t* end = &train.ended;
  double room = most;
  while (connection.head != kNone && (room > 0 || train.bytes == 0)) {
    const std::uint32_t index = connection.head;
    Fragment& fragment = fragments_[index];
    const bool ends = !(fragment.left_bytes > room * (1 + 1e-12));
    const double bytes = ends ? fragment.left_bytes : room;
    train.bytes += bytes;
    room -= bytes;
    fragment.left_bytes -= bytes;
    if (!ends) break;
    fragment.end = train.bytes;
    connection.head = fragment.next;
    fragment.next = kNone;
    *end = index;
    end = &fragment.next;
    if (!(packet_ > 0)) break;
  }
  connection.waiting = connection.head == kNone ? 0 : connection.waiting - train.bytes;
}

// Returns: when the fragment's last byte is on the first link; it ends with the train, which is
// given to that.
double EthernetNetwork::left_at(const Connection& connection, const Train& train, const Fragment& fragment) {
  if (connection.hops.empty()) return train.last;
  const Hop& hop = connection.hops.front();
  const double behind = train.bytes - fragment.end;
  return train.last - hop.latency - (behind > 0 ? behind / hop.bytes_per_second : 0.0);
}

// As much of the connection's fragments as its window and the network card's queue allow.
void EthernetNetwork::give_to_card(std::uint32_t index, double now_s) {
  Connection& connection = connections_[index];
  while (connection.head != kNone) {
    const Fragment& first = fragments_[connection.head];
    const Pace pace = pace_of(connection, first);
    const double most = largest_train(connection, pace.segment);
    const double bytes = std::min(most, packet_ > 0 ? connection.waiting : first.left_bytes);
    if (connection.on_the_way > 0 && connection.on_the_way + in_window(bytes) > connection.window) return;
    if (connection.trains > 1 && !has_room_in_card(index, std::max(kInCard * bytes, pace.in_card), now_s)) return;
    const std::uint32_t at = base::take_slot(trains_, free_trains_);
    Train& train = trains_[at];
    train = Train{0, 0, now_s, index, 0, kNone, 0, now_s};
    fill(connection, train, most);
    train.packet_bytes = std::min(train.bytes, packet_);
    ++connection.trains;
    connection.on_the_way += in_window(train.bytes);
    connection.given_at = now_s;
    connection.limited = connection.limited || 2 * connection.on_the_way > connection.window;
    pass_link(at, now_s);
    note_in_card(connection, train, now_s);
    for (std::uint32_t ended = train.ended; ended != kNone; ended = fragments_[ended].next)
      if (fragments_[ended].report_left)
        plan(left_at(connection, train, fragments_[ended]), Due::What::left, fragments_[ended].token);
  }
}

// The train's first packet is wholly there: it takes its turn on the link.
void EthernetNetwork::pass_link(std::uint32_t index, double first_s) {
  Train& train = trains_[index];
  Connection& connection = connections_[train.connection];
  std::vector<Hop>& hops = train.packets > 0 ? connection.back : connection.hops;
  if (train.hop >= hops.size()) return plan(first_s, Due::What::arrives, index); // of a host to itself
  Hop& hop = hops[train.hop++];
  double& free_at = hop.queues ? free_at_[hop.link] : hop.free_at;
  const double start = std::max(first_s, free_at);
  const double served = start + (train.bytes > 0 ? train.bytes / hop.bytes_per_second : 0.0);
  free_at = served;
  if (watcher_ && hop.queues && train.bytes > 0) watcher_({hop.link, start, served, train.bytes});
  train.last = std::max(served, train.last) + hop.latency;
  if (train.hop == hops.size()) {
    plan_ends(train, hop);
    return plan(train.last, Due::What::arrives, index);
  }
  const double packet_s = train.packet_bytes > 0 ? train.packet_bytes / hop.bytes_per_second : 0.0;
  plan(start + packet_s + hop.latency, Due::What::at_link, index);
}

// By an eighth of each difference (RFC 6298), for every two packets, as receivers acknowledge them.
void EthernetNetwork::note_round_trip(Connection& connection, double packets, double seconds) {
  const double weight = connection.round_trip > 0 ? std::min(1.0, packets / 16) : 1.0;
  connection.round_trip += weight * (seconds - connection.round_trip);
}

// Fragments that end in an earlier packet than the train does are there as much earlier as the last
// link takes for what is behind that packet; those of one packet come together.
void EthernetNetwork::plan_ends(Train& train, const Hop& last) {
  while (std::isfinite(train.last) && train.ended != kNone) {
    const std::uint32_t index = train.ended;
    const double behind = train.bytes - std::ceil(fragments_[index].end / packet_) * packet_;
    if (!(behind > 0)) return;
    train.ended = fragments_[index].next;
    ++train.early;
    plan(train.last - behind / last.bytes_per_second, Due::What::ends, index);
  }
}

void EthernetNetwork::end_fragment(std::uint32_t index, std::vector<Event>& events) {
  events.push_back(Event{fragments_[index].token, Event::Kind::arrived});
  free_fragments_.push_back(index);
  --in_flight_;
}

// What comes now is answered by something small: in the card, and in front of the links, the answer
// stands behind what is there already.
double EthernetNetwork::acknowledged_at(const Connection& connection, double now_s) const {
  double at = now_s;
  for (const Hop& hop : connection.back) at = (hop.queues ? std::max(at, free_at_[hop.link]) : at) + hop.latency;
  return at;
}

// All of them at once, when the last packet has come.
void EthernetNetwork::acknowledge(const Train& train, double packets, double now_s) {
  const double together = std::max(kLeastAcknowledged, connections_[train.connection].slowest * kMerged / packet_);
  const double each = wire_bytes(platform_.transport, 0);
  const std::uint32_t at = base::take_slot(trains_, free_trains_);
  trains_[at] = Train{
      std::ceil(packets / together - 1e-9) * each, each, now_s, train.connection, 0, kNone, 0, train.given, packets, train.bytes};
  pass_link(at, now_s);
}

// A train of so many bytes is acknowledged.
void EthernetNetwork::make_room(std::uint32_t index, double bytes, double now_s) {
  Connection& connection = connections_[index];
  const double room = in_window(bytes);
  if (is_growing(connection)) connection.window = std::min(connection.window + room, platform_.transport.socket_buffer);
  connection.on_the_way = --connection.trains == 0 ? 0 : std::max(0.0, connection.on_the_way - room);
  give_to_card(index, now_s);
  if (--connection.users == 0) release(index);
}

void EthernetNetwork::arrive(std::uint32_t index, double now_s, std::vector<Event>& events) {
  const Train train = trains_[index];
  free_trains_.push_back(index);
  Connection& connection = connections_[train.connection];
  if (train.packets > 0) {
    note_round_trip(connection, train.packets, now_s - train.given);
    return make_room(train.connection, train.acknowledges, now_s);
  }
  connection.users -= train.early;
  for (std::uint32_t ended = train.ended, next = kNone; ended != kNone; ended = next) {
    next = fragments_[ended].next;
    end_fragment(ended, events);
    --connection.users;
  }
  const double packets = train.packet_bytes > 0 ? train.bytes / train.packet_bytes : 16.0;
  ++connection.users; // until it is acknowledged
  if (train.packet_bytes > 0 && connection.slowest > 0 && packets >= kLeastAcknowledged * (1 - 1e-9))
    return acknowledge(train, packets, now_s);
  const double answered = acknowledged_at(connection, now_s);
  note_round_trip(connection, packets, answered - train.given);
  if (connection.head != kNone || is_growing(connection))
    return plan(answered, Due::What::acknowledged, train.connection, train.bytes);
  make_room(train.connection, train.bytes, now_s);
}

double EthernetNetwork::next_event() { return due_.empty() ? kNever : due_.front().at; }

void EthernetNetwork::advance(double now_s, std::vector<Event>& events) {
  const double until = now_s * (1 + kInstant);
  while (!due_.empty() && due_.front().at <= until) {
    const Due due = due_.front();
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    due_.pop_back();
    switch (due.what) {
    case Due::What::at_link:
      pass_link(due.which, due.at);
      break;
    case Due::What::ends:
      end_fragment(due.which, events);
      break;
    case Due::What::arrives:
      arrive(due.which, due.at, events);
      break;
    case Due::What::left:
      events.push_back(Event{due.which, Event::Kind::left});
      break;
    case Due::What::room_in_card: {
      Connection& connection = connections_[due.which];
      connection.waits_for_card = false;
      give_to_card(due.which, std::max(due.at, now_s));
      if (--connection.users == 0) release(due.which);
      break;
    }
    case Due::What::acknowledged:
      make_room(due.which, due.bytes, std::max(due.at, now_s));
      break;
    }
  }
}

} // namespace farcast::network
