// MPI_Bcast: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"
#include "predictor/collective/doubling.h"

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

void linear_bcast(Place at, int root, double bytes, Schedule& out) {
  rooted(
      at, root, StepKind::isend, StepKind::receive, true, [bytes](int) { return bytes; }, out);
}

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

void binomial_bcast(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_bcast(binomial_tree(at, root), bytes, segment, out);
}

void binary_bcast(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_bcast(binary_tree(at, root), bytes, segment, out);
}

void chain_bcast(Place at, int root, double bytes, double segment, int fanout, Schedule& out) {
  tree_bcast(chain_tree(at, root, fanout), bytes, segment, out);
}

void pipeline_bcast(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_bcast(chain_tree(at, root, 1), bytes, segment, out);
}

void knomial_bcast(Place at, int root, double bytes, double segment, int radix, Schedule& out) {
  tree_bcast(knomial_tree(at, root, radix), bytes, segment, out);
}

// As MPICH does it: each rank waits for one child's send before the next, the largest subtree first.
void in_order_binomial_bcast(Place at, int root, double bytes, Schedule& out) {
  const Tree tree = in_order_binomial_tree(at, root);
  if (tree.parent >= 0) receive(out, tree.parent, bytes);
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child) send(out, *child, bytes);
}

// Relative to the root, odd ranks form the left subtree and even ranks the right one. Each gets one
// half of the message down its subtree; then ranks 2k - 1 and 2k swap halves. With an even number
// of ranks the last one has nobody to swap with but the root.
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

void binomial_scatter_phase(Place at, int root, const Blocks& blocks, Schedule& out) {
  const int relative = at.around(-root);
  const auto part = [&](int first, int ranks) { return blocks.sum(first, std::min(first + ranks, at.size)); };
  int reach = 1; // ranks below: a power of two, cut off at the communicator's end
  while (reach < at.size && (relative & reach) == 0) reach *= 2;
  if (relative > 0 && part(relative, reach) > 0) receive(out, (relative - reach + root) % at.size, part(relative, reach));
  for (int bit = reach / 2; bit > 0; bit /= 2)
    if (relative + bit < at.size && part(relative + bit, bit) > 0) send(out, at.around(bit), part(relative + bit, bit));
}

void scatter_ring_allgather_bcast(Place at, int root, double bytes, Schedule& out) {
  const Blocks blocks = Blocks::ceiling(bytes, at.size);
  binomial_scatter_phase(at, root, blocks, out);
  // The ring runs over ranks relative to the root: relative rank r holds block r.
  ring_allgather_phase(at, blocks, at.size - root, out);
}

void scatter_doubling_allgather_bcast(Place at, int root, double bytes, Schedule& out) {
  const Blocks blocks = Blocks::ceiling(bytes, at.size);
  binomial_scatter_phase(at, root, blocks, out);
  const int relative = at.around(-root);
  const auto real = [&](int rank) { return (rank + root) % at.size; };
  const auto part = [&](int first, int ranks) { return blocks.sum(first, std::min(first + ranks, at.size)); };
  for (int bit = 1; bit < at.size; bit *= 2) {
    const double own = part(relative / bit * bit, bit);
    const int other_base = relative / bit * bit ^ bit;
    const double other = other_base < at.size ? part(other_base, bit) : 0;
    doubling_round(
        relative, at.size, bit, [&](int peer) { exchange(out, real(peer), own, real(peer), other); },
        [&](int peer) { send(out, real(peer), other); }, [&](int peer) { receive(out, real(peer), other); });
  }
}

} // namespace farcast::collective
