#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void pairwise_reduce_scatter(Place at, const Blocks& blocks, Schedule& out) {
  const double own = blocks.size(at.rank);
  for (int distance = 1; distance < at.size; ++distance) {
    exchange(out, at.around(distance), blocks.size(at.around(distance)), at.around(-distance), own);
    reduce(out, own);
  }
}

} // namespace farcast::collective
