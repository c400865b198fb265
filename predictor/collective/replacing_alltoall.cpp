#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void replacing_alltoall(Place at, double block, Schedule& out) {
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != at.rank) exchange(out, peer, block, peer, block);
}

} // namespace farcast::collective
