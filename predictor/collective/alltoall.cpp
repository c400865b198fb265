// MPI_Alltoall: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

namespace {

// How many of the numbers 0 .. size - 1 have this bit set.
int with_bit(int bit, int size) { return size / (2 * bit) * bit + std::max(0, size % (2 * bit) - bit); }

} // namespace

void bruck_alltoall(Place at, double block, Schedule& out) {
  if (at.size == 1) return;
  copy(out, block * at.size); // turned round, so that block i has to travel i ranks
  for (int bit = 1; bit < at.size; bit *= 2) {
    const double bytes = block * with_bit(bit, at.size);
    copy(out, bytes); // packed
    exchange(out, at.around(bit), bytes, at.around(-bit), bytes);
    copy(out, bytes); // unpacked
  }
  copy(out, block * at.size); // turned back
}

void linear_alltoall(Place at, double block, Schedule& out) {
  for (int distance = 1; distance < at.size; ++distance) ireceive(out, at.around(distance), block);
  for (int distance = 1; distance < at.size; ++distance) isend(out, at.around(-distance), block);
  if (at.size > 1) wait_all(out);
}

void in_order_alltoall(Place at, double block, Schedule& out) {
  for (int peer = 0; peer < at.size; ++peer) {
    if (peer == at.rank) continue;
    ireceive(out, peer, block);
    isend(out, peer, block);
  }
  if (at.size > 1) wait_all(out);
}

void pairwise_alltoall(Place at, double block, Schedule& out) {
  for (int distance = 1; distance < at.size; ++distance) exchange(out, at.around(distance), block, at.around(-distance), block);
}

// With a power of two of ranks, both messages of a round go between the same two.
void xor_pairwise_alltoall(Place at, double block, Schedule& out) {
  if (!is_power_of_two(at.size)) return pairwise_alltoall(at, block, out);
  for (int round = 1; round < at.size; ++round) exchange(out, at.rank ^ round, block, at.rank ^ round, block);
}

void replacing_alltoall(Place at, double block, Schedule& out) {
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != at.rank) exchange(out, peer, block, peer, block);
}

void in_place_alltoall(Place at, double block, bool left_first, Schedule& out) {
  in_place_alltoallv(at, std::vector<double>(static_cast<std::size_t>(at.size), block), left_first, out);
}

void scattered_alltoall(Place at, double block, int throttle, Schedule& out) {
  for (int first = 0; first < at.size; first += throttle) {
    const int last = std::min(first + throttle, at.size);
    for (int distance = std::max(first, 1); distance < last; ++distance) ireceive(out, at.around(distance), block);
    for (int distance = std::max(first, 1); distance < last; ++distance) isend(out, at.around(-distance), block);
    if (last > 1) wait_all(out);
  }
}

} // namespace farcast::collective
