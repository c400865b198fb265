// MPI_Scatter and MPI_Scatterv: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_scatter(Place at, int root, double block, Schedule& out) {
  if (at.rank != root) {
    receive(out, root, block);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != root) send(out, peer, block);
}

void linear_nb_scatter(Place at, int root, double block, Schedule& out) {
  if (at.rank != root) {
    receive(out, root, block);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != root) isend(out, peer, block);
  if (at.size > 1) wait_all(out);
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
  if (at.rank != root) {
    if (own > 0) receive(out, root, own);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer) {
    const double bytes = counts ? (*counts)[static_cast<std::size_t>(peer)] : own;
    if (peer != root && bytes > 0) send(out, peer, bytes);
  }
}

void linear_nb_scatterv(Place at, int root, double own, const std::vector<double>* counts, bool with_empty, Schedule& out) {
  const std::size_t before = out.size();
  if (at.rank != root) {
    if (with_empty || own > 0) receive(out, root, own);
    return;
  }
  for (int peer = 0; peer < at.size; ++peer) {
    const double bytes = counts ? (*counts)[static_cast<std::size_t>(peer)] : own;
    if (peer != root && (with_empty || bytes > 0)) isend(out, peer, bytes);
  }
  if (out.size() > before) wait_all(out);
}

} // namespace farcast::collective
