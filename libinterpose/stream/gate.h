// The gate of one node: at most `tokens` of its ranks compute at a time (--isolate K). Shared
// memory and futexes, no names.
//
// The predictor makes the memory and hands it to each rank with a seat of its own. A rank draws a
// ticket when it wants to compute and waits until it is admitted; giving back admits the next
// ticket. So tokens go round in the order in which they were asked for. Invariants: (1) tickets
// below `admitted` hold a token or have given it back; (2) holders = admitted - tickets given back,
// at most tokens + debt; (3) `debt` counts lent tokens that are still to be taken out; (4) a seat
// is occupied from before its ticket is drawn until after it was given back, so that a killed
// rank's token is never lost (it may be handed out once too often). Threads: one per seat;
// reclaim() from any process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace farcast::stream {

inline constexpr std::uint32_t kGateMagic = 0x54414746; // "FGAT"
inline constexpr std::uint32_t kGateSeats = 4096;
inline constexpr std::uint32_t kWakeWords = 64; // tickets of a row of so many have words of their own
inline constexpr std::uint32_t kFirstLendMs = 10'000;
inline constexpr std::uint32_t kLeastLendMs = 50;
inline constexpr std::int64_t kSliceMs = 100; // how often a waiting rank looks up

struct Gate {
  std::uint32_t magic;
  std::uint32_t tokens;
  alignas(64) std::atomic<std::uint32_t> next;     // the ticket that is drawn next; wraps around
  alignas(64) std::atomic<std::uint32_t> admitted; // the first ticket that has to wait
  std::atomic<std::uint32_t> debt;
  std::atomic<std::uint32_t> lent;    // tokens lent so far
  std::atomic<std::uint32_t> lend_ms; // how long the first in the queue waits without any progress before it is lent a token
  alignas(64) std::atomic<std::uint32_t> wake[kWakeWords]; // futex words, [ticket % kWakeWords]: change when one is admitted
  alignas(64) std::atomic<std::uint32_t> occupied[kGateSeats];
};

inline constexpr std::size_t kGateBytes = (sizeof(Gate) + 4095) / 4096 * 4096;

// Requires: `gate` is zeroed memory, tokens > 0.
void open_gate(Gate& gate, std::uint32_t tokens);
// Asked now and then by a rank that waits. Returns: it shall wait no longer, token or not.
using GiveUp = bool (*)(void* context);
// Waits for a token without using the processor. Programs may spin on shared memory for something
// that only a waiting rank can do: where nobody gives a token back for lend_ms, the first in the
// queue is lent one, and from then on half as much patience is shown. Returns: false when `give_up`
// said so; the seat is empty then. `slice_ms`: how often it is asked. `now_ms` counts patience:
// milliseconds, never backwards.
std::int64_t monotonic_ms();
bool take_token(Gate& gate, std::uint32_t seat, GiveUp give_up, void* context, std::int64_t slice_ms = kSliceMs,
                std::int64_t (*now_ms)() = monotonic_ms);
// Does nothing when the seat is empty.
void give_token_back(Gate& gate, std::uint32_t seat);
// The process of `seat` is dead, or will ask no more: what it held goes to the next one.
inline void reclaim_seat(Gate& gate, std::uint32_t seat) { give_token_back(gate, seat); }

} // namespace farcast::stream
