#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void recursive_doubling_allgatherv(Place at, const Blocks& blocks, Schedule& out) {
  for (int bit = 1; bit < at.size; bit *= 2) {
    const int own = at.rank / bit * bit; // first of the blocks held
    const int other = own ^ bit;
    exchange(out, at.rank ^ bit, blocks.sum(own, own + bit), at.rank ^ bit, blocks.sum(other, other + bit));
  }
}

} // namespace farcast::collective
