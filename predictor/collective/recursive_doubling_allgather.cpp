#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void recursive_doubling_allgather(Place at, double block, Schedule& out) {
  for (int bit = 1; bit < at.size; bit *= 2) exchange(out, at.rank ^ bit, block * bit, at.rank ^ bit, block * bit);
}

} // namespace farcast::collective
