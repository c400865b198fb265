#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_scatter(Place at, int root, double block, Schedule& out) {
  if (at.rank != root) {
    receive(out, root, block);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != root) send(out, peer, block);
}

} // namespace farcast::collective
