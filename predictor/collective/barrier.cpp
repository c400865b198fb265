// MPI_Barrier: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_barrier(Place at, Schedule& out) {
  if (at.size == 1) return;
  if (at.rank > 0) {
    send(out, 0, 0);
    receive(out, 0, 0);
    return;
  }
  for (int peer = 1; peer < at.size; ++peer) ireceive(out, peer, 0);
  wait_all(out);
  for (int peer = 1; peer < at.size; ++peer) send(out, peer, 0);
}

void recursive_doubling_barrier(Place at, Schedule& out) {
  const int power = floor_power_of_two(at.size);
  // Ranks past the power of two report to a partner below it, and hear from it when all is done.
  if (at.rank >= power) {
    exchange(out, at.rank - power, 0, at.rank - power, 0);
    return;
  }
  const bool has_extra = at.rank + power < at.size;
  if (has_extra) receive(out, at.rank + power, 0);
  for (int bit = 1; bit < power; bit *= 2) exchange(out, at.rank ^ bit, 0, at.rank ^ bit, 0);
  if (has_extra) send(out, at.rank + power, 0);
}

void dissemination_barrier(Place at, Schedule& out) {
  for (int distance = 1; distance < at.size; distance *= 2) exchange(out, at.around(distance), 0, at.around(-distance), 0);
}

void tree_barrier(Place at, Schedule& out) {
  const Tree tree = in_order_binomial_tree(at, 0);
  for (const int child : tree.children) receive(out, child, 0);
  if (tree.parent >= 0) {
    send(out, tree.parent, 0);
    receive(out, tree.parent, 0);
  }
  for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child) send(out, *child, 0);
}

void double_ring_barrier(Place at, Schedule& out) {
  if (at.size == 1) return;
  const int left = at.around(-1);
  const int right = at.around(1);
  for (int turn = 0; turn < 2; ++turn) {
    if (at.rank > 0) receive(out, left, 0);
    send(out, right, 0);
    if (at.rank == 0) receive(out, left, 0);
  }
}

} // namespace farcast::collective
