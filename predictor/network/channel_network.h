// Ordered channels: what the processes of a pair send each other stays in order on one connection.
//
// In: parcels (a fragment or a control message of a protocol) per ordered pair of processes, at ascending times. Out: the tokens
// of the parcels that have left their sender, or arrived, in advance().
//   1. A channel (source process, destination process) carries its parcels one after another: only its head takes bandwidth,
//      shared max-min with the heads of other channels (network/flow_network.h, without SMPI's factors and gamma).
//   2. When a head has left, the next parcel follows at the same instant; a parcel arrives the route's latency after it has left.
//      So order serialises bandwidth, and latency is pipelined.
//   3. Parcels of one channel arrive in their order. A parcel that may pass (rdma: control messages) is a flow of its own.
//   4. A parcel of b bytes takes b + ceil(b / payload) * overhead bytes of the links: it is cut into packets.
// Both directions of a pair are channels of their own; what ties them is the protocol (network/channel_protocol.h).
// Idle channels are given back, so memory follows what is under way. Threads: none; one owner. The same calls give the same bits.
// Source: the order of a TCP connection (RFC 9293), as Open MPI's btl/tcp uses one per pair of processes (btl_tcp_links = 1).
#pragma once

#include "predictor/network/flat_map.h"
#include "predictor/network/flow_network.h"

#include <cstdint>
#include <vector>

namespace farcast::network {

class ChannelNetwork {
public:
  using Token = std::uint32_t;
  static constexpr double kNever = FlowNetwork::kNever;

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

  // `platform` must outlive the network.
  explicit ChannelNetwork(const platform::Platform& platform);
  ChannelNetwork(const ChannelNetwork&) = delete;
  ChannelNetwork& operator=(const ChannelNetwork&) = delete;

  // Appends a parcel to its channel. `report_left`: its leaving is an event too. Requires: now_s not before any earlier call's.
  void send(const Pair& pair, double bytes, Token token, bool report_left, bool may_pass, double now_s);
  // Returns: when something happens next; kNever when nothing is under way.
  [[nodiscard]] double next_event();
  // Appends what has happened by now_s: in the order of time, at one instant in the order of leaving.
  void advance(double now_s, std::vector<Event>& events);
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }

private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Parcel {
    double wire_bytes = 0;
    double latency = 0;
    std::uint32_t channel = kNone; // kNone: passes
    std::uint32_t next = kNone;    // behind it in its channel
    Token token = 0;
    bool report_left = false;
  };
  struct Channel {
    std::uint64_t processes = 0;
    std::uint32_t head = kNone; // the parcel that leaves now
    std::uint32_t tail = kNone;
    platform::HostId source = 0;
    platform::HostId destination = 0;
  };
  struct Landing {
    double at;
    std::uint64_t order;
    Token token;
    bool operator>(const Landing& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  std::uint32_t take_parcel();
  std::uint32_t channel_of(const Pair& pair);
  [[nodiscard]] double wire_bytes(double bytes) const;
  void leave(std::uint32_t parcel, std::vector<Event>& events);

  const platform::Platform& platform_;
  platform::PointToPoint bare_; // no factors, no envelope: a parcel is what it is
  FlowNetwork flows_;
  std::vector<Parcel> parcels_;
  std::vector<std::uint32_t> free_parcels_;
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> free_channels_;
  FlatMap<std::uint64_t, std::uint32_t> channel_index_;
  std::vector<Landing> landing_; // heap
  std::vector<FlowNetwork::Token> left_;
  std::uint64_t order_ = 0;
  std::uint64_t in_flight_ = 0;
  double now_ = 0;
};

} // namespace farcast::network
