#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void chain_reduce(Place at, int root, double bytes, double segment, int fanout, Schedule& out) {
  tree_reduce(chain_tree(at, root, fanout), bytes, segment, out);
}

} // namespace farcast::collective
