#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void ring_allreduce(Place at, double bytes, Schedule& out) {
  const Blocks blocks = Blocks::even(bytes, at.size);
  ring_reduce_scatter_phase(at, blocks, 0, out);
  ring_allgather_phase(at, blocks, 1, out);
}

} // namespace farcast::collective
