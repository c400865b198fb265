#include "predictor/collective/algorithms.h"

namespace farcast::collective {

// The root takes the last rank first, as Open MPI does, so that an operator that does not commute sees the ranks in order.
void linear_reduce(Place at, int root, double bytes, Schedule& out) {
  if (at.rank != root) {
    send(out, root, bytes);
    return;
  }
  for (int peer = at.size - 1; peer >= 0; --peer) {
    if (peer == root) continue;
    receive(out, peer, bytes);
    reduce(out, bytes);
  }
}

} // namespace farcast::collective
