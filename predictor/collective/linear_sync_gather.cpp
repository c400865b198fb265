#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

// The root's receives of all second parts overlap with the following ranks' first parts.
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
    ireceive(out, peer, second);
    wait_second(out);
  }
  if (at.size > 1) wait_all(out);
}

} // namespace farcast::collective
