#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void pipeline_bcast(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_bcast(chain_tree(at, root, 1), bytes, segment, out);
}

} // namespace farcast::collective
