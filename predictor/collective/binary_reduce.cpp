#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void binary_reduce(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_reduce(binary_tree(at, root), bytes, segment, out);
}

} // namespace farcast::collective
