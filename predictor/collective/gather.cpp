// MPI_Gather and MPI_Gatherv: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

void linear_gather(Place at, int root, double block, Schedule& out) {
  rooted(
      at, root, StepKind::receive, StepKind::send, true, [block](int) { return block; }, out);
}

// The root's receives of all second parts overlap with the following ranks' first parts.
void linear_sync_gather(Place at, int root, double block, double first_segment, Schedule& out) {
  const double first = first_segment > 0 ? std::min(first_segment, block) : block;
  const double second = block - first;
  if (at.rank != root) {
    receive(out, root, 0);
    send(out, root, first);
    send(out, root, second);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer) {
    if (peer == root) continue;
    ireceive(out, peer, first);
    send(out, peer, 0);
    ireceive(out, peer, second);
    wait_second(out);
  }
  if (at.size > 1) wait_all(out);
}

void binomial_gather(Place at, int root, double block, Schedule& out) {
  const Tree tree = in_order_binomial_tree(at, root);
  const auto relative = [&](int rank) { return (rank - root + at.size) % at.size; };
  const auto subtree = [&](int rank) { return block * in_order_subtree(relative(rank), at.size); };
  for (const int child : tree.children) receive(out, child, subtree(child));
  if (tree.parent >= 0)
    send(out, tree.parent, subtree(at.rank));
  else if (root != 0 && at.size > 1)
    copy(out, block * at.size); // blocks came in order from the root on: turned round
}

void linear_gather_blocks(Place at, const Blocks& blocks, Schedule& out) {
  rooted(
      at, 0, StepKind::receive, StepKind::send, false, [&](int rank) { return blocks.size(rank); }, out);
}

void linear_gatherv(Place at, int root, double own, const std::vector<double>* counts, Schedule& out) {
  rooted(at, root, StepKind::receive, StepKind::send, false, listed_or_own(at.rank == root ? counts : nullptr, own), out);
}

void linear_nb_gatherv(Place at, int root, double own, const std::vector<double>* counts, bool with_empty, Schedule& out) {
  rooted(at, root, StepKind::ireceive, StepKind::send, with_empty, listed_or_own(at.rank == root ? counts : nullptr, own), out);
}

} // namespace farcast::collective
