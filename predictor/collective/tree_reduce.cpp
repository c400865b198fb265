#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void tree_reduce(const Tree& tree, double bytes, double segment, Schedule& out) {
  const Blocks segments = Blocks::segments(bytes, segment);
  if (tree.children.empty()) {
    if (tree.parent >= 0)
      for (int i = 0; i < segments.count(); ++i) send(out, tree.parent, segments.size(i));
    return;
  }
  // Two buffers: the next child's part is asked for before this one is waited for, and comes in while this one is reduced and,
  // after the last child's, sent up (Open MPI 4.1.4, coll_base_reduce.c, ompi_coll_base_reduce_generic).
  ireceive(out, tree.children.front(), segments.size(0));
  for (int i = 0; i < segments.count(); ++i) {
    for (std::size_t child = 0; child < tree.children.size(); ++child) {
      const bool last_child = child + 1 == tree.children.size();
      if (last_child && i + 1 == segments.count()) {
        wait_all(out);
      } else {
        ireceive(out, tree.children[last_child ? 0 : child + 1], segments.size(last_child ? i + 1 : i));
        wait_earlier(out);
      }
      reduce(out, segments.size(i));
    }
    if (tree.parent >= 0) send(out, tree.parent, segments.size(i));
  }
}

} // namespace farcast::collective
