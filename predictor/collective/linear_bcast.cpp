#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_bcast(Place at, int root, double bytes, Schedule& out) {
  if (at.rank != root) {
    receive(out, root, bytes);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != root) isend(out, peer, bytes);
  if (at.size > 1) wait_all(out);
}

} // namespace farcast::collective
