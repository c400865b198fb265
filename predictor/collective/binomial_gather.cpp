#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void binomial_gather(Place at, int root, double block, Schedule& out) {
  const Tree tree = in_order_binomial_tree(at, root);
  const auto relative = [&](int rank) { return (rank - root + at.size) % at.size; };
  const auto subtree = [&](int rank) { return block * in_order_subtree(relative(rank), at.size); };
  for (const int child : tree.children) receive(out, child, subtree(child));
  if (tree.parent >= 0)
    send(out, tree.parent, subtree(at.rank));
  else if (root != 0 && at.size > 1)
    copy(out, block * at.size); // blocks came in order from the root on: turned round
}

} // namespace farcast::collective
