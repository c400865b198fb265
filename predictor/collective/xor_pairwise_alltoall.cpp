#include "predictor/collective/algorithms.h"

namespace farcast::collective {

// With a power of two of ranks, both messages of a round go between the same two.
void xor_pairwise_alltoall(Place at, double block, Schedule& out) {
  if (!is_power_of_two(at.size)) return pairwise_alltoall(at, block, out);
  for (int round = 1; round < at.size; ++round) exchange(out, at.rank ^ round, block, at.rank ^ round, block);
}

} // namespace farcast::collective
