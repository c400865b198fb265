#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_gather_blocks(Place at, const Blocks& blocks, Schedule& out) {
  if (at.rank > 0) {
    send(out, 0, blocks.size(at.rank));
    return;
  }
  for (int peer = 1; peer < at.size; ++peer) receive(out, peer, blocks.size(peer));
}

} // namespace farcast::collective
