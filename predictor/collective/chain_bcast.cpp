#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void chain_bcast(Place at, int root, double bytes, double segment, int fanout, Schedule& out) {
  tree_bcast(chain_tree(at, root, fanout), bytes, segment, out);
}

} // namespace farcast::collective
