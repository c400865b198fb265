#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void tree_bcast(const Tree& tree, double bytes, double segment, Schedule& out) {
  const Blocks segments = Blocks::segments(bytes, segment);
  if (tree.parent >= 0 && tree.children.empty()) {
    for (int i = 0; i < segments.count(); ++i) receive(out, tree.parent, segments.size(i));
    return;
  }
  if (tree.children.empty()) return;
  if (tree.parent >= 0) receive(out, tree.parent, segments.size(0));
  // Double buffering: the next segment comes in while this one goes out.
  for (int i = 0; i < segments.count(); ++i) {
    if (tree.parent >= 0 && i + 1 < segments.count()) ireceive(out, tree.parent, segments.size(i + 1));
    for (const int child : tree.children) isend(out, child, segments.size(i));
    wait_all(out);
  }
}

} // namespace farcast::collective
