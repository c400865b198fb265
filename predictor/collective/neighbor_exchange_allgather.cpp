#include "predictor/collective/algorithms.h"

namespace farcast::collective {

// Even ranks pair with the right neighbour first, odd ones with the left; then sides alternate, and each round passes on the two
// blocks that the round before brought (first: the pair's own two). (Chen et al. 2005, as in Open MPI)
void neighbor_exchange_allgather(Place at, const Blocks& blocks, Schedule& out) {
  if (at.size == 1) return;
  const int side = at.rank % 2 == 0 ? 1 : -1;
  const int neighbors[2] = {at.around(side), at.around(-side)};
  exchange(out, neighbors[0], blocks.size(at.rank), neighbors[0], blocks.size(neighbors[0]));
  const int pair = at.rank - at.rank % 2; // first block of the pair's two
  int held = pair;
  int expected[2] = {pair, pair}; // first block of the two that came last from each neighbour
  for (int round = 1; round < at.size / 2; ++round) {
    const int from = round % 2;
    const int step = from == 0 ? 2 * side : -2 * side;
    expected[from] = (expected[from] + step + at.size) % at.size;
    exchange(out, neighbors[from], blocks.sum_around(held, 2), neighbors[from], blocks.sum_around(expected[from], 2));
    held = expected[from];
  }
}

} // namespace farcast::collective
