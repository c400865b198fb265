#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

// The root's receive of a rank's second part overlaps with the next rank's first part. (Open MPI completes the second parts only
// at the end; a schedule's wait_all makes the root wait for one of them a rank earlier.)
void linear_sync_gather(Place at, int root, double block, double first_segment, Schedule& out) {
  const double first = first_segment > 0 ? std::min(first_segment, block) : block;
  const double second = block - first;
  if (at.rank != root) {
    receive(out, root, 0);
    send(out, root, first);
    send(out, root, second);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer) {
    if (peer == root) continue;
    ireceive(out, peer, first);
    send(out, peer, 0);
    wait_all(out);
    ireceive(out, peer, second);
  }
  if (at.size > 1) wait_all(out);
}

} // namespace farcast::collective
