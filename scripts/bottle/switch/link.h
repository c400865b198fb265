// One direction of a wire: a rate, a latency, and frames that leave one after another.
//
// In: when the first and the last byte of a frame can be there. Out: when they come out at the far end.
// A frame starts when its first packet is there and the wire is free, and cannot end before its
// last byte has come in: so a burst of packets (a segment that the kernel left uncut) crosses
// several links in a row as its packets would, not as one block.
// Threads: none; one owner.
#pragma once

#include <algorithm>
#include <cstdint>

namespace farcast::bottle {

using Nanoseconds = std::int64_t;

struct Passage {
  Nanoseconds first; // the first packet is wholly there
  Nanoseconds last;  // the last byte is there
};

// What a frame takes of a wire.
struct WireSize {
  double total_bytes;        // with preamble, checksum and gap of every packet
  double first_packet_bytes; // of the first packet alone
};

class Link {
public:
  // Requires: bits_per_second > 0, latency >= 0.
  Link(double bits_per_second, Nanoseconds latency) : ns_per_byte_(8e9 / bits_per_second), latency_(latency) {}

  Passage carry(const WireSize& size, const Passage& in) {
    const Nanoseconds start = std::max(in.first, free_at_);
    free_at_ = std::max(start + time_of(size.total_bytes), in.last);
    return Passage{start + time_of(size.first_packet_bytes) + latency_, free_at_ + latency_};
  }

  // Returns: when no more than `bytes` of what it has accepted are still to leave.
  [[nodiscard]] Nanoseconds time_of_backlog(double bytes) const { return free_at_ - time_of(bytes); }
  [[nodiscard]] Nanoseconds time_of(double bytes) const { return static_cast<Nanoseconds>(bytes * ns_per_byte_); }

private:
  double ns_per_byte_;
  Nanoseconds latency_;
  Nanoseconds free_at_ = 0;
};

} // namespace farcast::bottle
