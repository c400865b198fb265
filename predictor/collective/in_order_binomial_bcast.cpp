#include "predictor/collective/algorithms.h"

namespace farcast::collective {

// As MPICH does it: each rank waits for one child's send before the next, the largest subtree first.
void in_order_binomial_bcast(Place at, int root, double bytes, Schedule& out) {
  const Tree tree = in_order_binomial_tree(at, root);
  if (tree.parent >= 0) receive(out, tree.parent, bytes);
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child) send(out, *child, bytes);
}

} // namespace farcast::collective
