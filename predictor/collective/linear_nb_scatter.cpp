#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_nb_scatter(Place at, int root, double block, Schedule& out) {
  if (at.rank != root) {
    receive(out, root, block);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != root) isend(out, peer, block);
  if (at.size > 1) wait_all(out);
}

} // namespace farcast::collective
