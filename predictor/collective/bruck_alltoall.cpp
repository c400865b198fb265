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

} // namespace farcast::collective
