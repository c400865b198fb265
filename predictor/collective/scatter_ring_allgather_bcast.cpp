#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void scatter_ring_allgather_bcast(Place at, int root, double bytes, Schedule& out) {
  const Blocks blocks = Blocks::ceiling(bytes, at.size);
  binomial_scatter_phase(at, root, blocks, out);
  // The ring runs over ranks relative to the root: relative rank r holds block r.
  ring_allgather_phase(at, blocks, at.size - root, out);
}

} // namespace farcast::collective
