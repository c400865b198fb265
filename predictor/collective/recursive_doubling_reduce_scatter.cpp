#include "predictor/collective/algorithms.h"
#include "predictor/collective/doubling.h"

#include <algorithm>

namespace farcast::collective {

// Before the round at distance `bit` a rank holds, reduced over its subtree, the blocks of its subtree; it is sent the rest of
// what it needs: all blocks but those of the peer's subtree travel to the peer's peer.
void recursive_doubling_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  const auto without = [&](int first, int ranks) {
    return blocks.total() - (first < at.size ? blocks.sum(first, std::min(first + ranks, at.size)) : 0);
  };
  for (int bit = 1; bit < at.size; bit *= 2) {
    const int base = at.rank / bit * bit;
    const double own = without(base, bit);         // what this rank has no more use for after this round
    const double other = without(base ^ bit, bit); // what it is sent
    const bool got = doubling_round(
        at.rank, at.size, bit, [&](int peer) { exchange(out, peer, own, peer, other); },
        [&](int peer) { send(out, peer, other); }, [&](int peer) { receive(out, peer, other); });
    if (got) reduce(out, other);
  }
}

} // namespace farcast::collective
