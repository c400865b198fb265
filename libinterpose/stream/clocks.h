// How far the ranks of a coupled program are in virtual time: memory that all of them and their
// predictor share, so that ranks which poll get on side by side without asking.
//
// The predictor writes `events`, `delay`, `beside`, `acts` and `comes`, with `changes` odd meanwhile,
// and only then lets a rank go on. A rank writes its own cell: `reached`, which never falls, while it
// only polls (`polls`); it acts no sooner, and what it does reaches another one `delay` later. So
// nothing comes for a rank before the least of `events`, its own `comes` (of messages that are under
// way) and, of every other rank, the later of `reached` and `acts`, plus `delay`: where `changes` was
// even and the same before and after these were read, `reached` first.
// A rank that waits for an answer sleeps on `pokes`, and says so (`sleeps`): the predictor pokes it
// with the answer, and so may another rank, for whom it has to let the MPI library go on
// (libinterpose/coupled_board.h). All times are seconds of virtual time since MPI_Init. Threads:
// one writer per word, but for those that are counted up and down.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace farcast::stream {

inline constexpr std::uint32_t kClocksMagic = 0x384b4c43; // "CLK8": another layout has another number
inline constexpr std::uint32_t kMostClocks = 2048;
inline constexpr std::uint32_t kNotSaid = 0;
inline constexpr std::uint32_t kBeingSaid = 1;
inline constexpr std::uint32_t kSaid = 2;   // and the program ends
inline constexpr std::uint32_t kWentOn = 3; // it is said, and the program goes on without

struct RankClock {
  enum Polls : std::uint32_t {
    not_polling,
    polling,  // the rank only polls, and goes on with it
    asking,   // it has only polled since it said so, and waits for an answer: its question is published
    resuming, // it has been told that it goes on polling, and may be about to wake; the predictor's word, to one that asks
  };
  enum Sleeps : std::uint32_t {
    awake,
    sleeping,
    sleeping_owing, // while messages of its own have not left it
    sleeping_ahead, // it does not wait for an answer, but for a message
  };
  alignas(64) std::atomic<double> reached;
  std::atomic<std::uint32_t> polls;
  std::atomic<std::uint32_t> pokes; // a futex
  std::atomic<std::uint32_t> sleeps;
  std::atomic<std::uint32_t> accessed; // by that many ranks, which are in a real call that may need its progress
};

// Who reads `pokes` before it looks for what it waits for misses none.
inline void poke(RankClock& clock) {
  clock.pokes.fetch_add(1, std::memory_order_seq_cst);
  if (clock.sleeps.load(std::memory_order_seq_cst) == RankClock::awake) return;
  syscall(SYS_futex, &clock.pokes, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

struct Clocks {
  std::uint32_t magic;
  alignas(64) std::atomic<std::uint32_t> changes;
  std::atomic<double> events;
  std::atomic<double> delay;
  std::atomic<double> beside;      // so long before where a rank asks, one that polls is to ask, too
  std::atomic<std::int64_t> apart; // ranks: 0 where no collective is under way that some left before all had entered (coupled.h)
  std::atomic<std::uint32_t> needs_all; // ranks that wait in the library for what may need the progress of all
  std::atomic<std::uint32_t> said;      // kBeingSaid, kSaid: why the coupling is over, by one of the ranks
  std::atomic<std::uint32_t> has_cores; // not 0: one for each rank, so who waits may do so actively for a moment (brief_wait.h)
  std::atomic<std::uint32_t> told;      // number of the last text of the predictor that a rank has printed
  alignas(64) std::atomic<double> acts[kMostClocks]; // [rank]
  std::atomic<double> comes[kMostClocks];            // [rank]
  RankClock clocks[kMostClocks];                     // [rank]
};

inline constexpr std::size_t kClocksBytes = (sizeof(Clocks) + 4095) / 4096 * 4096;

static_assert(std::atomic<double>::is_always_lock_free);

} // namespace farcast::stream
