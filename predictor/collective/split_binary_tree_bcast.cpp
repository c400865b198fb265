#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

namespace {

// The half that runs down this rank's subtree, segment by segment with double buffering.
void forward_half(const Tree& tree, const Blocks& segments, Schedule& out) {
  ireceive(out, tree.parent, segments.size(0));
  for (int i = 0; i < segments.count(); ++i) {
    wait_all(out);
    if (i + 1 < segments.count()) ireceive(out, tree.parent, segments.size(i + 1));
    for (const int child : tree.children) send(out, child, segments.size(i));
  }
}

void feed_halves(const Tree& tree, const Blocks (&halves)[2], Schedule& out) {
  const int rounds = std::max(halves[0].count(), halves[1].count());
  for (int i = 0; i < rounds; ++i)
    for (std::size_t side = 0; side < tree.children.size(); ++side)
      if (i < halves[side].count()) send(out, tree.children[side], halves[side].size(i));
}

} // namespace

// Relative to the root, odd ranks form the left subtree and even ranks the right one. Each gets one half of the message down its
// subtree; then ranks 2k - 1 and 2k swap halves. With an even number of ranks the last one has nobody to swap with but the root.
void split_binary_tree_bcast(Place at, int root, double bytes, double segment, Schedule& out) {
  if (at.size == 1) return;
  const Tree tree = binary_tree(at, root);
  const Blocks parts = Blocks::even(bytes, 2);
  const Blocks halves[2] = {Blocks::segments(parts.size(0), segment), Blocks::segments(parts.size(1), segment)};
  const int last = (root + at.size - 1) % at.size;
  const bool last_is_alone = at.size % 2 == 0;
  if (at.rank == root) {
    feed_halves(tree, halves, out);
    if (last_is_alone) send(out, last, parts.size(1));
    return;
  }
  const bool left = at.around(-root) % 2 == 1;
  forward_half(tree, halves[left ? 0 : 1], out);
  if (at.rank == last && last_is_alone) {
    receive(out, root, parts.size(1));
    return;
  }
  const int pair = at.around(left ? 1 : -1);
  exchange(out, pair, parts.size(left ? 0 : 1), pair, parts.size(left ? 1 : 0));
}

} // namespace farcast::collective
