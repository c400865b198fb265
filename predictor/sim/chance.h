// What a run leaves to chance, as a function of a seed: the same seed is the same realisation.
//
// Seed 0 leaves nothing to chance: processes wake and send in their usual times and read their peers
// in the order of their ranks. Any other seed is one of the realisations that are all equally likely:
//   1. Seven in eight wake-ups of a sleeping process take their usual time, one in eight up to three
//      times as long. (Seen between two processes that had nothing else to do, 400 messages of 8 B:
//      of 331 us the middle half differed by 0.8 us, where waking takes 8; one in ten came 5 us
//      later than the middle one or more, one in twenty 10, one in a hundred 25.)
//   2. A library polls its connections in a circle that begins anywhere. (libevent's poll and
//      select begin at a random descriptor, so that no peer comes first for ever; Open MPI over TCP
//      waits in them.) The circle's order is that in which connections were made, which nobody
//      knows: it is drawn once for each process.
//   3. The processes of other hosts than the first leave MPI_Init later (sim/launch.h).
//   4. A call that posts a send takes between half and twice its usual time, which is the mean. (Of
//      small writes in both directions of two hosts the middle 80 % took 3 to 17 us, half of them less than
//      12.) Where two messages come to a process at nearly the same time, that decides whether it
//      reads both in one go.
// Integers, and sums and products of doubles: the same on every machine. Threads: any; it has no state.
#pragma once

#include "predictor/base/flat_map.h"

#include <cstdint>

namespace farcast::sim {

class Chance {
public:
  static constexpr double kLateShare = 0.125; // of wake-ups; powers of two: the same bits everywhere
  static constexpr double kLatest = 2;        // usual waking times later
  static constexpr double kQuickest = 0.5;    // of the usual time of a call

  explicit Chance(std::uint64_t seed) : seed_(seed) {}

  // Returns: what the rank's draw number `draw` makes of the usual waking time: a factor, 1 or up to
  // 1 + kLatest.
  [[nodiscard]] double wake(std::uint32_t rank, std::uint64_t draw) const {
    if (seed_ == 0) return 1;
    const double drawn = uniform(rank, draw, Use::wake);
    return drawn < kLateShare ? 1 + kLatest * (drawn / kLateShare) : 1;
  }
  // Returns: what the rank's call number `call` that posts a send makes of its usual time: a factor,
  // 1 in the mean.
  [[nodiscard]] double post(std::uint32_t rank, std::uint64_t call) const {
    if (seed_ == 0) return 1;
    const double drawn = uniform(rank, call, Use::post);
    return kQuickest + 3 * (1 - kQuickest) * drawn * drawn;
  }
  // Returns: where a peer stands in the circle of connections that the rank's draw number `draw`
  // goes through; the least is first.
  [[nodiscard]] std::uint64_t place(std::uint32_t rank, std::uint64_t draw, std::uint32_t peer) const {
    return seed_ == 0 ? peer : bits(rank, peer, Use::circle) - bits(rank, draw, Use::beginning);
  }
  // Returns: a number in [0, 1) for the beginning of the host's processes.
  [[nodiscard]] double start(std::uint32_t host) const { return uniform(host, 0, Use::start); }

private:
  enum class Use : std::uint64_t { wake = 1, circle, beginning, start, post };

  // Returns: a number in [0, 1).
  [[nodiscard]] double uniform(std::uint32_t rank, std::uint64_t number, Use use) const {
    return static_cast<double>(bits(rank, number, use) >> 11) * 0x1p-53;
  }

  [[nodiscard]] std::uint64_t bits(std::uint32_t rank, std::uint64_t number, Use use) const {
    using base::kGolden; // keeps seeds, ranks and numbers apart
    return base::mix_bits(
        base::mix_bits(base::mix_bits(seed_ * kGolden + static_cast<std::uint64_t>(use)) + (rank + 1) * kGolden) +
        (number + 1) * kGolden);
  }

  std::uint64_t seed_;
};

} // namespace farcast::sim
