// Some packets of a segment that the kernel left uncut, as the receiver's card would hand them over.
//
// In: a frame of TCP over IPv4 with its virtio header, and which of its packets. Out: their
// headers, as software that cuts segments makes them (Linux: tcp_gso_segment, inet_gso_segment),
// and where their payload stands in the frame. The kernel of the receiver takes several of them as
// one, as it does where a card hands over what came together (generic receive offload).
// Threads: pure functions.
#pragma once

#include "frame.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace farcast::bottle {

struct Piece {
  static constexpr std::size_t kLongestHeaders = kOffloadHeader + kEthernetHeader + 60 + 60; // IP and TCP with all options
  std::array<std::uint8_t, kLongestHeaders> headers;
  std::size_t header_bytes = 0;
  std::span<const std::uint8_t> payload; // of the frame
};

// Returns: of how many packets the frame is; 1 for what is not cut here. Requires: frame.whole().
std::size_t packets_of(const Frame& frame);

// Requires: first < last <= packets_of(frame), which is more than 1; the frame outlives the piece.
Piece piece_of(const Frame& frame, std::size_t first, std::size_t last);

} // namespace farcast::bottle
