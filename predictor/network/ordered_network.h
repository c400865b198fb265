// What carries fragments (of messages, or control messages of a protocol) between processes, in
// order per pair: the interface of network/ethernet_network.h (TCP over Ethernet) and
// network/channel_network.h (network cards that share fairly).
//
// In: fragments per ordered pair of processes, at ascending times. Out: the tokens of the fragments
// that have left their sender, or arrived, in advance(). Fragments of one pair arrive in their
// order, unless they may pass. Threads: none; one owner.
#pragma once

#include "predictor/network/link_use.h"
#include "predictor/platform/platform.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace farcast::network {

class OrderedNetwork {
public:
  using Token = std::uint32_t;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Pair {
    std::uint32_t source; // processes
    std::uint32_t destination;
    platform::HostId source_host;
    platform::HostId destination_host;
  };
  struct Event {
    enum class Kind : std::uint8_t { left, arrived };
    Token token;
    Kind kind;
  };

  OrderedNetwork() = default;
  OrderedNetwork(const OrderedNetwork&) = delete;
  OrderedNetwork& operator=(const OrderedNetwork&) = delete;
  virtual ~OrderedNetwork() = default;

  // Appends a fragment to what its pair has under way. `report_left`: its leaving is an event too.
  // `may_pass`: it need not wait for others of its pair. Requires: now_s not before any earlier
  // call's.
  virtual void send(const Pair& pair, double bytes, Token token, bool report_left, bool may_pass, double now_s) = 0;
  // Returns: when something happens next; kNever when nothing is under way.
  [[nodiscard]] virtual double next_event() = 0;
  // Appends what has happened by now_s, in the order of time.
  virtual void advance(double now_s, std::vector<Event>& events) = 0;
  [[nodiscard]] virtual std::uint64_t in_flight() const = 0;
  // From now on calls `watcher` with what each link carries, as soon as that is known. Before
  // anything is sent.
  virtual void watch(LinkWatcher watcher) = 0;
  // Returns: how much of a fragment of so many bytes comes with its end; the rest has come before.
  [[nodiscard]] virtual double last_piece(double bytes) const { return bytes; }
};

// What `bytes` take of a link once they are cut into packets, an empty fragment one packet.
inline double wire_bytes(const platform::Transport& transport, double bytes) {
  if (!(transport.packet_payload > 0)) return bytes;
  return bytes + std::max(1.0, std::ceil(bytes / transport.packet_payload)) * transport.packet_overhead;
}

} // namespace farcast::network
