// What the processes of ordered channels send each other, and what each gets to know of it.
#pragma once

#include "predictor/network/channel_protocol.h"

#include <cstdint>

namespace farcast::sim {

struct Fragment {
  network::FragmentKind kind;
  std::uint32_t request; // of the sender; fin: of the receiver
  std::uint32_t answer;  // cts: the receiver's request, for the fin that will come
  std::uint32_t from;    // ranks
  std::uint32_t to;
  double message_bytes; // of the message that it belongs to
};

struct Notice {
  Fragment fragment;
  double came; // s
  bool left;   // it has left, and this is its sender; otherwise it has arrived
  [[nodiscard]] std::uint32_t peer() const { return left ? fragment.to : fragment.from; }
};

} // namespace farcast::sim
