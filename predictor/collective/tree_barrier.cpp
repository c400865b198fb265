#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void tree_barrier(Place at, Schedule& out) {
  const Tree tree = in_order_binomial_tree(at, 0);
  for (const int child : tree.children) receive(out, child, 0);
  if (tree.parent >= 0) {
    send(out, tree.parent, 0);
    receive(out, tree.parent, 0);
  }
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child) send(out, *child, 0);
}

} // namespace farcast::collective
