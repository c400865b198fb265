#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void binomial_bcast(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_bcast(binomial_tree(at, root), bytes, segment, out);
}

} // namespace farcast::collective
