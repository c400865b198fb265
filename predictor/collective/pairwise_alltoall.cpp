#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void pairwise_alltoall(Place at, double block, Schedule& out) {
  for (int distance = 1; distance < at.size; ++distance) exchange(out, at.around(distance), block, at.around(-distance), block);
}

} // namespace farcast::collective
