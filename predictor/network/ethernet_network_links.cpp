// How trains pass the links of their way: the card, which has them whole, and ports, to which their
// packets come one after the other.
#include "predictor/network/ethernet_network.h"

#include <algorithm>
#include <cmath>

namespace farcast::network {

void EthernetNetwork::bring_to(Port& port, double now_s, double bytes_per_second) {
  now_s = std::max(port.at, now_s);
  port.free_at = port.served_by(now_s, bytes_per_second);
  port.at = now_s;
}

void EthernetNetwork::remove_comer(Port& port, double rate) {
  port.rate = --port.comers == 0 ? 0 : std::max(0.0, port.rate - rate);
}

double EthernetNetwork::packet_time(const Train& train, const Hop& hop) {
  return train.packet_bytes > 0 ? train.packet_bytes / hop.bytes_per_second : 0.0;
}

void EthernetNetwork::tell(const Hop& hop, double begin_s, double end_s, double bytes) {
  if (watcher_ && hop.queues && bytes > 0) watcher_({hop.link, begin_s, end_s, bytes});
}

// The card has all of the train.
void EthernetNetwork::pass_card(std::uint32_t index, double now_s) {
  Train& train = trains_[index];
  Connection& connection = connections_[train.connection];
  if (connection.hops.empty()) return plan(now_s, Due::What::arrives, index); // of a host to itself
  Hop& hop = connection.hops.front();
  Port& port = port_of(hop);
  bring_to(port, now_s, hop.bytes_per_second);
  const double start = port.free_at;
  port.free_at = start + (train.bytes > 0 ? train.bytes / hop.bytes_per_second : 0.0);
  tell(hop, start, port.free_at, train.bytes);
  train.last = port.free_at + hop.latency;
  train.hop = train.through = 1;
  if (connection.hops.size() == 1) {
    plan_ends(train, train.last, 1 / hop.bytes_per_second);
    return plan(train.last, Due::What::arrives, index);
  }
  plan(start + packet_time(train, hop) + hop.latency, Due::What::at_link, index);
}

// The train's first packet is wholly there: it takes its turn, and the others come one after the
// other. Where the train still stands in front of the link before, it is taken to come as that lets it
// go by now.
void EthernetNetwork::come_to_port(std::uint32_t index, double first_s) {
  Train& train = trains_[index];
  Connection& connection = connections_[train.connection];
  const std::uint32_t at = train.hop++;
  Hop& hop = connection.hops[at];
  Port& port = port_of(hop);
  bring_to(port, first_s, hop.bytes_per_second);
  const double start = port.free_at;
  const bool known = train.through == at;
  const double last = std::max(port.at, known ? train.last : train.expected);
  const double packet_s = packet_time(train, hop);
  const double others = train.bytes - train.packet_bytes;
  const double rate = others > 0 && last > port.at ? others / (last - port.at) : 0.0;
  if (train.bytes > 0) port.free_at += rate > 0 ? packet_s : train.bytes / hop.bytes_per_second;
  if (rate > 0) {
    port.rate += rate;
    ++port.comers;
  }
  const double served = std::max(port.served_by(last, hop.bytes_per_second), last + packet_s);
  train.expected = served + hop.latency;
  tell(hop, start, served, train.bytes);
  const bool whole = known && port.comers == 0; // it passes no earlier one of its connection
  if (whole) {
    ++train.through;
    train.last = train.expected;
  } else if (known) {
    plan(last, Due::What::all_there, index, rate);
  } else if (rate > 0) {
    ++connection.users;
    plan(last, Due::What::comes_no_more, train.connection, rate, at);
  }
  if (train.hop < connection.hops.size()) return plan(start + packet_s + hop.latency, Due::What::at_link, index);
  plan_ends(train, train.expected, train.bytes > 0 ? (served - start) / train.bytes : 0.0);
  if (whole) plan(train.last, Due::What::arrives, index);
}

// All of the train is there: it has left when what is before its last byte has.
void EthernetNetwork::leave_port(std::uint32_t index, double rate, double now_s) {
  Train& train = trains_[index];
  Connection& connection = connections_[train.connection];
  Hop& hop = connection.hops[train.through++];
  Port& port = port_of(hop);
  bring_to(port, now_s, hop.bytes_per_second);
  if (rate > 0) remove_comer(port, rate);
  train.last = std::max(port.free_at, port.at + packet_time(train, hop)) + hop.latency;
  if (train.through == connection.hops.size()) return plan(train.last, Due::What::arrives, index);
  // Else its first packet is still on the way to the next link.
  if (train.hop > train.through) plan(train.last, Due::What::all_there, index);
}

// Fragments that end in an earlier packet than the train does are there as much earlier as the last
// link takes for what is behind that packet; those of one packet come together.
void EthernetNetwork::plan_ends(Train& train, double last_s, double byte_s) {
  while (std::isfinite(last_s) && train.ended != kNone) {
    const std::uint32_t index = train.ended;
    const double behind = train.bytes - std::ceil(fragments_[index].end / packet_) * packet_;
    if (!(behind > 0)) return;
    train.ended = fragments_[index].next;
    ++train.early;
    plan(last_s - behind * byte_s, Due::What::ends, index);
  }
}

void EthernetNetwork::come_no_more(const Due& due) {
  Hop& hop = connections_[due.which].hops[due.hop];
  Port& port = port_of(hop);
  bring_to(port, due.at, hop.bytes_per_second);
  remove_comer(port, due.bytes);
  if (--connections_[due.which].users == 0) release(due.which);
}

} // namespace farcast::network
