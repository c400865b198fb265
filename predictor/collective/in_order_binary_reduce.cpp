#include "predictor/collective/algorithms.h"

namespace farcast::collective {

// The tree's root is the last rank, whichever rank wants the result: it passes the result on.
void in_order_binary_reduce(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_reduce(in_order_binary_tree(at), bytes, segment, out);
  const int top = at.size - 1;
  if (root == top) return;
  if (at.rank == top)
    send(out, root, bytes);
  else if (at.rank == root)
    receive(out, top, bytes);
}

} // namespace farcast::collective
