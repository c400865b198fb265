#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void binary_bcast(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_bcast(binary_tree(at, root), bytes, segment, out);
}

} // namespace farcast::collective
