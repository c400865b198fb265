// The small talk between a rank and the predictor of its node, over a SOCK_SEQPACKET socket
// (meeting_place.h).
//
// rank -> predictor: hello (carries the descriptor of the rank's file), modules (text), finalized.
// predictor -> rank: gate (the answer to a hello that names ranks: the descriptor of the node's gate,
// gate.h, and a seat in it); clocks (the answer to one that asks for them: the descriptor of the ranks'
// clocks, clocks.h); after `finalized`: alive (at least once a second while it works), text
// (pieces of the report), done.
// End of file on either side means that the other one is gone; nothing here is on the hot path.
#pragma once

#include <cstdint>

namespace farcast::stream {

enum class MessageKind : std::uint32_t {
  hello = 1,
  modules = 2,
  finalized = 3,
  alive = 4,
  text = 5,
  done = 6,
  gate = 7,
  clocks = 8
};

inline constexpr std::uint32_t kAsksForClocks = 1u << 31; // in the value of a hello

struct MessageHeader {
  std::uint32_t magic;   // kMagic
  std::uint32_t version; // kVersion
  MessageKind kind;
  // hello: ranks that may compute at a time, 0: all, and kAsksForClocks; gate: the seat; finalized:
  // kPrintsReport when the rank waits for the report, kWaitsForReport when it cannot print it; text: its
  // number where all get it and one prints it, else 0
  std::uint32_t value;
};

inline constexpr std::uint32_t kPrintsReport = 1;
inline constexpr std::uint32_t kWaitsForReport = 2;
inline constexpr std::uint32_t kMaxMessageBytes = 32 * 1024; // header included
// One loaded object a line in `modules`: "<base hex> <end hex> <build-id hex or -> <path>\n".
inline constexpr int kHeartbeatSeconds = 1;
inline constexpr int kGiveUpSeconds = 10; // a rank that waits for its report leaves after this long without a sign of life

} // namespace farcast::stream
