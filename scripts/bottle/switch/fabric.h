// The wires of the cluster: up and down links, the backbone, and which packet takes its turn on them
// when.
//
// In: frames, as they leave their hosts. Out: what hosts get, and when.
//   1. A frame has its host's up link to itself, from its first packet to its last.
//   2. Behind that its packets come to the switch one after the other. In front of the backbone and of
//      a down link they queue with those of other hosts, in the order in which they come.
//   3. A host gets the packets of a frame in pieces: of as many as come within kTogether where it comes
//      alone (two at least), of fewer once kTogether is over.
// Threads: none; one owner.
#pragma once

#include "frame.h"
#include "link.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace farcast::bottle {

inline constexpr Nanoseconds kTogether = 500'000;

// A frame on its way behind its up link.
struct Segment {
  std::unique_ptr<Frame> frame;
  std::size_t from; // hosts
  std::size_t to;
  std::size_t packets;
  Passage at_switch;
  // The piece that comes now.
  std::size_t first = 0; // packet
  Nanoseconds began = 0; // when that is there
};

struct Delivery {
  Nanoseconds at;
  std::shared_ptr<Segment> segment;
  std::size_t first; // packets
  std::size_t last;  // the one behind the last
};

class Fabric {
public:
  // Half of the latency lies on the up link, half on the down link. No backbone: 0 bits/s.
  Fabric(std::size_t hosts, double bits_per_second, Nanoseconds half_latency, double backbone_bits_per_second);

  // The host's kernel has handed a frame over. Returns: when that is at the switch.
  Passage leave(std::size_t host, const WireSize& size, Nanoseconds now) { return up_[host].carry(size, {now, now}); }
  // Returns: when no more than so many bytes are still to leave the host.
  [[nodiscard]] Nanoseconds time_of_backlog(std::size_t host, double bytes) const { return up_[host].time_of_backlog(bytes); }
  void forward(std::size_t from, std::size_t to, std::unique_ptr<Frame> frame, const Passage& at_switch);
  [[nodiscard]] bool waits() const { return !coming_.empty(); }
  // Returns: when the next packet comes to a link. Requires: waits().
  [[nodiscard]] Nanoseconds next() const { return coming_.front().at; }
  // Gives their turns to all packets that come to a link by then, and appends the pieces that end with
  // them. Requires: nothing is forwarded later that comes to the switch before.
  void take_turns(Nanoseconds until, std::vector<Delivery>& deliveries);

private:
  struct Coming {   // a packet, to the next link of its way
    Nanoseconds at; // when it is wholly there
    std::uint64_t order;
    std::shared_ptr<Segment> segment;
    std::size_t packet;
    bool at_backbone; // that link is the backbone
    bool operator>(const Coming& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  [[nodiscard]] bool crosses_backbone(const Segment& segment) const;
  void push(Coming packet);
  void expect(const std::shared_ptr<Segment>& segment, std::size_t packet);
  void reach_host(const Coming& packet, std::vector<Delivery>& deliveries) const;

  std::size_t together_; // packets that come within kTogether
  std::vector<Link> up_;
  std::vector<Link> down_;
  std::vector<Link> backbone_; // [from which half]
  std::vector<Coming> coming_; // heap
  std::uint64_t order_ = 0;
};

} // namespace farcast::bottle
