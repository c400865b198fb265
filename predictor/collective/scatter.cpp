// MPI_Scatter and MPI_Scatterv: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_scatter(Place at, int root, double block, Schedule& out) {
  rooted(
      at, root, StepKind::send, StepKind::receive, true, [block](int) { return block; }, out);
}

void linear_nb_scatter(Place at, int root, double block, Schedule& out) {
  rooted(
      at, root, StepKind::isend, StepKind::receive, true, [block](int) { return block; }, out);
}

void binomial_scatter(Place at, int root, double block, Schedule& out) {
  const Tree tree = in_order_binomial_tree(at, root);
  const auto relative = [&](int rank) { return (rank - root + at.size) % at.size; };
  const auto subtree = [&](int rank) { return block * in_order_subtree(relative(rank), at.size); };
  if (tree.parent >= 0)
    receive(out, tree.parent, subtree(at.rank));
  else if (root != 0 && at.size > 1)
    copy(out, block * at.size); // turned round so that every subtree is one piece
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
    send(out, *child, subtree(*child)); // the largest subtree first
}

void linear_scatterv(Place at, int root, double own, const std::vector<double>* counts, Schedule& out) {
  rooted(at, root, StepKind::send, StepKind::receive, false, listed_or_own(at.rank == root ? counts : nullptr, own), out);
}

void linear_nb_scatterv(Place at, int root, double own, const std::vector<double>* counts, bool with_empty, Schedule& out) {
  rooted(at, root, StepKind::isend, StepKind::receive, with_empty, listed_or_own(at.rank == root ? counts : nullptr, own), out);
}

} // namespace farcast::collective
