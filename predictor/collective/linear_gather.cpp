#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_gather(Place at, int root, double block, Schedule& out) {
  if (at.rank != root) {
    send(out, root, block);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != root) receive(out, peer, block);
}

} // namespace farcast::collective
