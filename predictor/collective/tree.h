// The trees that broadcasts, reductions, gathers and scatters run along, as one rank sees them: its
// parent and its children.
//
// A tree costs O(children + log size) to make, for any rank. Children stand in the order in which
// Open MPI's coll/base topologies list them. Invariant: a is the parent of b exactly when b is a
// child of a.
#pragma once

#include "predictor/collective/steps.h"

#include <vector>

namespace farcast::collective {

struct Tree {
  int parent = -1; // -1: this rank is the root
  std::vector<int> children;
};

// Rank r relative to the root hangs on r without its highest bit: the root's children are 1, 2, 4, ...
Tree binomial_tree(Place at, int root);

// Rank r relative to the root hangs on r without its lowest bit, so that every subtree is a range
// of ranks:
// r .. r + in_order_subtree(r) - 1.
Tree in_order_binomial_tree(Place at, int root);
int in_order_subtree(int relative_rank, int size);

// Relative rank r hangs on r without its lowest digit in base `radix`; far children first, as Open
// MPI lists them.
// Requires: radix >= 2.
Tree knomial_tree(Place at, int root, int radix);

// Levels filled from left to right; relative rank r of level l has the children r + 2^l and r + 2 *
// 2^l.
Tree binary_tree(Place at, int root);

// The ranks beside the root in `fanout` chains of nearly equal length. One chain is the pipeline.
// Requires: fanout >= 1.
Tree chain_tree(Place at, int root, int fanout);

// Binary tree over ascending ranks whose root is the last rank; every subtree is a range that ends
// with its own root, so that a reduction up the tree keeps the order of the ranks.
Tree in_order_binary_tree(Place at);

} // namespace farcast::collective
