// What a run leaves to chance, as a function of a seed: the same seed is the same realisation.
//
// Seed 0 leaves nothing to chance: processes wake in their mean time and read their peers in the
// order of their ranks. Any other seed is one of the realisations that are all equally likely:
//   1. The time in which a sleeping process wakes is uniform between nothing and twice its mean.
//   2. A library polls its connections in a circle that begins anywhere. (libevent's poll and
//      select begin at a random descriptor, so that no peer comes first for ever; Open MPI over TCP
//      waits in them.) The circle's order is that in which connections were made, which nobody
//      knows: it is drawn once for each process.
//   3. The processes of other hosts than the first leave MPI_Init later (sim/launch.h).
// Only integers and one multiplication: the same on every machine. Threads: any; it has no state.
#pragma once

#include "predictor/base/flat_map.h"

#include <cstdint>

namespace farcast::sim {

class Chance {
public:
  explicit Chance(std::uint64_t seed) : seed_(seed) {}

  // Returns: what the rank's draw number `draw` makes of a mean waking time: a factor in [0, 2), in
  // the mean 1.
  [[nodiscard]] double wake(std::uint32_t rank, std::uint64_t draw) const {
    return seed_ == 0 ? 1.0 : static_cast<double>(bits(rank, draw, Use::wake) >> 11) * 0x1p-52;
  }
  // Returns: where a peer stands in the circle of connections that the rank's draw number `draw`
  // goes through; the least is first.
  [[nodiscard]] std::uint64_t place(std::uint32_t rank, std::uint64_t draw, std::uint32_t peer) const {
    return seed_ == 0 ? peer : bits(rank, peer, Use::circle) - bits(rank, draw, Use::beginning);
  }
  // Returns: a number in [0, 1) for the beginning of the host's processes.
  [[nodiscard]] double start(std::uint32_t host) const { return static_cast<double>(bits(host, 0, Use::start) >> 11) * 0x1p-53; }

private:
  enum class Use : std::uint64_t { wake = 1, circle, beginning, start };

  [[nodiscard]] std::uint64_t bits(std::uint32_t rank, std::uint64_t number, Use use) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL; // mix_bits(0) is 0: keeps seeds, ranks and numbers apart
    return base::mix_bits(
        base::mix_bits(base::mix_bits(seed_ * kGolden + static_cast<std::uint64_t>(use)) + (rank + 1) * kGolden) +
        (number + 1) * kGolden);
  }

  std::uint64_t seed_;
};

} // namespace farcast::sim
