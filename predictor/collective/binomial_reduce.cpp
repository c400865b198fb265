#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void binomial_reduce(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_reduce(in_order_binomial_tree(at, root), bytes, segment, out);
}

} // namespace farcast::collective
