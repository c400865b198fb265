#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void knomial_bcast(Place at, int root, double bytes, double segment, int radix, Schedule& out) {
  tree_bcast(knomial_tree(at, root, radix), bytes, segment, out);
}

} // namespace farcast::collective
