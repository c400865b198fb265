// MPI_Allgather and MPI_Allgatherv: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

void recursive_doubling_allgather(Place at, double block, Schedule& out) {
  for (int bit = 1; bit < at.size; bit *= 2) exchange(out, at.rank ^ bit, block * bit, at.rank ^ bit, block * bit);
}

void bruck_allgather(Place at, const Blocks& blocks, Schedule& out) {
  for (int distance = 1; distance < at.size; distance *= 2) {
    const int number = std::min(distance, at.size - distance);
    exchange(out, at.around(-distance), blocks.sum_around(at.rank, number), at.around(distance),
             blocks.sum_around(at.around(distance), number));
  }
  if (at.rank > 0) copy(out, blocks.total()); // blocks came in order from this rank's on: turned round
}

void ring_allgather_phase(Place at, const Blocks& blocks, int start, Schedule& out) {
  const auto block = [&](int step) { return blocks.size((at.rank + start - step + at.size) % at.size); }; // sent in this step
  for (int step = 0; step + 1 < at.size; ++step) exchange(out, at.around(1), block(step), at.around(-1), block(step + 1));
}

void ring_allgather(Place at, const Blocks& blocks, Schedule& out) { ring_allgather_phase(at, blocks, 0, out); }

void linear_allgather(Place at, const Blocks& blocks, Schedule& out) {
  for (int peer = 0; peer < at.size; ++peer) {
    if (peer == at.rank) continue;
    ireceive(out, peer, blocks.size(peer));
    isend(out, peer, blocks.size(at.rank));
  }
  if (at.size > 1) wait_all(out);
}

void recursive_doubling_allgatherv(Place at, const Blocks& blocks, Schedule& out) {
  for (int bit = 1; bit < at.size; bit *= 2) {
    const int own = at.rank / bit * bit; // first of the blocks held
    const int other = own ^ bit;
    exchange(out, at.rank ^ bit, blocks.sum(own, own + bit), at.rank ^ bit, blocks.sum(other, other + bit));
  }
}

// Even ranks pair with the right neighbour first, odd ones with the left; then sides alternate, and
// each round passes on the two blocks that the round before brought (first: the pair's own two).
// (Chen et al. 2005, as in Open MPI)
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
