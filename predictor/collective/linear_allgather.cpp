#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_allgather(Place at, const Blocks& blocks, Schedule& out) {
  for (int peer = 0; peer < at.size; ++peer) {
    if (peer == at.rank) continue;
    ireceive(out, peer, blocks.size(peer));
    isend(out, peer, blocks.size(at.rank));
  }
  if (at.size > 1) wait_all(out);
}

} // namespace farcast::collective
