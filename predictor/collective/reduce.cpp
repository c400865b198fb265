// MPI_Reduce: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"
#include "predictor/collective/fold.h"
#include "predictor/collective/halving.h"

namespace farcast::collective {

namespace {

// The result is with `top`, and `root` wants it.
void pass_on(Place at, int top, int root, double bytes, Schedule& out) {
  if (top == root) return;
  if (at.rank == top)
    send(out, root, bytes);
  else if (at.rank == root)
    receive(out, top, bytes);
}

} // namespace

// The root takes the last rank first, as Open MPI does, so that an operator that does not commute
// sees the ranks in order.
void linear_reduce(Place at, int root, double bytes, Schedule& out) {
  if (at.rank != root) {
    send(out, root, bytes);
    return;
  }
  for (int peer = at.size - 1; peer >= 0; --peer) {
    if (peer == root) continue;
    receive(out, peer, bytes);
    reduce(out, bytes);
  }
}

void tree_reduce(const Tree& tree, double bytes, double segment, Schedule& out) {
  const Blocks segments = Blocks::segments(bytes, segment);
  if (tree.children.empty()) {
    if (tree.parent >= 0)
      for (int i = 0; i < segments.count(); ++i) send(out, tree.parent, segments.size(i));
    return;
  }
  // Two buffers: the next child's part is asked for before this one is waited for, and comes in
  // while this one is reduced and, after the last child's, sent up (Open MPI 4.1.4,
  // coll_base_reduce.c, ompi_coll_base_reduce_generic).
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

void binomial_reduce(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_reduce(in_order_binomial_tree(at, root), bytes, segment, out);
}

void binary_reduce(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_reduce(binary_tree(at, root), bytes, segment, out);
}

void chain_reduce(Place at, int root, double bytes, double segment, int fanout, Schedule& out) {
  tree_reduce(chain_tree(at, root, fanout), bytes, segment, out);
}

void pipeline_reduce(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_reduce(chain_tree(at, root, 1), bytes, segment, out);
}

// The tree's root is the last rank, whichever rank wants the result: it passes the result on.
void in_order_binary_reduce(Place at, int root, double bytes, double segment, Schedule& out) {
  tree_reduce(in_order_binary_tree(at), bytes, segment, out);
  pass_on(at, at.size - 1, root, bytes, out);
}

// The gather runs towards the virtual rank of the root: across each bit, the rank on the root's
// side receives. A root that sat out is sent the result by its partner. (Open MPI lets the root
// change places with its partner; the messages are as many, and as large but for that last one.)
void rabenseifner_reduce(Place at, int root, double bytes, Schedule& out) {
  const Fold fold(at, Fold::Keeps::even);
  const Fold root_fold(Place{root, at.size}, Fold::Keeps::even);
  const int top = root_fold.survives() ? root : root_fold.partner();
  const int top_virtual = Fold(Place{top, at.size}, Fold::Keeps::even).virtual_rank();
  std::vector<Halving> halvings = reduce_by_halving(fold, bytes, out);
  for (; !halvings.empty(); halvings.pop_back()) {
    const Halving& halving = halvings.back();
    const int bit = 1 << (halvings.size() - 1);
    if (((fold.virtual_rank() ^ top_virtual) & bit) != 0) {
      send(out, halving.peer, halving.kept);
      break;
    }
    receive(out, halving.peer, halving.given);
  }
  pass_on(at, top, root, bytes, out);
}

// A root that sat out takes the place of rank 0, which hands it its block before the gather.
void folded_rabenseifner_reduce(Place at, int root, double bytes, Schedule& out) {
  const Fold fold(at, Fold::Keeps::even);
  const Fold root_fold(Place{root, at.size}, Fold::Keeps::even);
  const bool swapped = !root_fold.survives();
  const int top = swapped ? 0 : root_fold.virtual_rank();
  std::vector<Halving> halvings = reduce_folded(fold, bytes, out);
  int rank = fold.survives() ? fold.virtual_rank() : -1;
  if (swapped && (at.rank == 0 || at.rank == root)) {
    const Fold first(Place{0, at.size}, Fold::Keeps::even);
    const double block = Blocks::even(bytes, fold.power()).size(0);
    if (at.rank == 0) return send(out, root, block);
    receive(out, 0, block);
    rank = 0;
    // Rank 0 always kept the low half.
    const Blocks blocks = Blocks::even(bytes, fold.power());
    for (int bit = 1; bit < fold.power(); bit *= 2) {
      const int half = fold.power() / bit / 2;
      halvings.push_back({first.rank_of(bit), blocks.sum(0, half), blocks.sum(half, 2 * half)});
    }
  }
  for (; !halvings.empty(); halvings.pop_back()) {
    const Halving& halving = halvings.back();
    const int bit = 1 << (halvings.size() - 1);
    const int peer = swapped && (rank ^ bit) == 0 ? root : halving.peer;
    if (((rank ^ top) & bit) != 0) return send(out, peer, halving.kept);
    receive(out, peer, halving.given);
  }
}

} // namespace farcast::collective
