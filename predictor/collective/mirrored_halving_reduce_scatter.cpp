#include "predictor/collective/algorithms.h"

namespace farcast::collective {

// Blocks lie in the order of the mirrored bits of their ranks, so that halving over growing distances ends with each rank's own
// block and keeps the order of the ranks in every reduction.
void mirrored_halving_reduce_scatter(Place at, double block, Schedule& out) {
  if (at.size > 1) copy(out, block * at.size); // put into that order
  double half = block * at.size / 2;
  for (int bit = 1; bit < at.size; bit *= 2, half /= 2) {
    exchange(out, at.rank ^ bit, half, at.rank ^ bit, half);
    reduce(out, half);
  }
}

} // namespace farcast::collective
