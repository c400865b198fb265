#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_scatter_blocks(Place at, const Blocks& blocks, Schedule& out) {
  if (at.rank > 0) {
    receive(out, 0, blocks.size(at.rank));
    return;
  }
  for (int peer = 1; peer < at.size; ++peer) send(out, peer, blocks.size(peer));
}

void linear_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  linear_reduce(at, 0, blocks.total(), out);
  linear_scatter_blocks(at, blocks, out);
}

} // namespace farcast::collective
