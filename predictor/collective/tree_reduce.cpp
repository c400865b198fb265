#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void tree_reduce(const Tree& tree, double bytes, double segment, Schedule& out) {
  const Blocks segments = Blocks::segments(bytes, segment);
  if (tree.children.empty()) {
    if (tree.parent >= 0)
      for (int i = 0; i < segments.count(); ++i) send(out, tree.parent, segments.size(i));
    return;
  }
  // Double buffering: the next child's part comes in while this one is reduced and, after the last child's, sent up.
  ireceive(out, tree.children.front(), segments.size(0));
  for (int i = 0; i < segments.count(); ++i) {
    for (std::size_t child = 0; child < tree.children.size(); ++child) {
      wait_all(out);
      if (child + 1 < tree.children.size())
        ireceive(out, tree.children[child + 1], segments.size(i));
      else if (i + 1 < segments.count())
        ireceive(out, tree.children.front(), segments.size(i + 1));
      reduce(out, segments.size(i));
    }
    if (tree.parent >= 0) send(out, tree.parent, segments.size(i));
  }
}

} // namespace farcast::collective
