// Ordered channels over network cards that share their links fairly between connections (rdma):
// what the processes of a pair send each other stays in order.
//
// In and out: network/ordered_network.h.
//   1. A channel (source process, destination process) carries its fragments one after another:
//      only its head takes bandwidth, shared max-min with the heads of other channels
//      (network/flow_network.h, without SMPI's factors and gamma).
//   2. When a head has left, the next fragment follows at the same instant; a fragment arrives the
//      route's latency after it has
//   left.
//      So order serialises bandwidth, and latency is pipelined.
//   3. Fragments of one channel arrive in their order. A fragment that may pass (rdma: control
//      messages) is a flow of its own.
//   4. A fragment of b bytes takes b + ceil(b / payload) * overhead bytes of the links: it is cut
//      into packets. Switches hand a
//   packet
//      on while it still comes in: no store and forward.
// Both directions of a pair are channels of their own; what ties them is the protocol
// (network/channel_protocol.h). Idle channels are given back, so memory follows what is under way.
// Threads: none; one owner. The same calls give the same bits.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/network/flow_network.h"
#include "predictor/network/ordered_network.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::network {

class ChannelNetwork final : public OrderedNetwork {
public:
  // `platform` must outlive the network.
  explicit ChannelNetwork(const platform::Platform& platform);

  void send(const Pair& pair, double bytes, Token token, bool report_left, bool may_pass, double now_s) override;
  [[nodiscard]] double next_event() override;
  // At one instant in the order of leaving.
  void advance(double now_s, std::vector<Event>& events) override;
  [[nodiscard]] std::uint64_t in_flight() const override { return in_flight_; }
  void watch(LinkWatcher watcher) override { flows_.watch(std::move(watcher)); }

private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Fragment {
    double wire_bytes = 0;
    double latency = 0;
    std::uint32_t channel = kNone; // kNone: passes
    std::uint32_t next = kNone;    // behind it in its channel
    Token token = 0;
    bool report_left = false;
  };
  struct Channel {
    std::uint64_t processes = 0;
    std::uint32_t head = kNone; // the fragment that leaves now
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

  std::uint32_t take_fragment();
  std::uint32_t channel_of(const Pair& pair);
  void leave(std::uint32_t fragment, std::vector<Event>& events);

  const platform::Platform& platform_;
  platform::PointToPoint bare_; // no factors, no envelope: a fragment is what it is
  FlowNetwork flows_;
  std::vector<Fragment> fragments_;
  std::vector<std::uint32_t> free_fragments_;
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> free_channels_;
  base::FlatMap<std::uint64_t, std::uint32_t> channel_index_;
  std::vector<Landing> landing_; // heap
  std::vector<FlowNetwork::Token> left_;
  std::uint64_t order_ = 0;
  std::uint64_t in_flight_ = 0;
  double now_ = 0;
};

} // namespace farcast::network
