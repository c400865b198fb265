#include "predictor/collective/tree.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace farcast::collective {

namespace {

// From ranks relative to the root back to ranks of the communicator.
Tree absolute(Tree tree, Place at, int root) {
  const auto shift = [&](int relative) { return (relative + root) % at.size; };
  if (tree.parent >= 0) tree.parent = shift(tree.parent);
  for (int& child : tree.children) child = shift(child);
  return tree;
}

int relative_to(Place at, int root) { return at.around(-root); }

} // namespace

Tree binomial_tree(Place at, int root) {
  const int relative = relative_to(at, root);
  Tree tree;
  if (relative > 0) tree.parent = relative - floor_power_of_two(relative);
  for (int bit = relative == 0 ? 1 : 2 * floor_power_of_two(relative); relative + bit < at.size; bit *= 2)
    tree.children.push_back(relative + bit);
  return absolute(std::move(tree), at, root);
}

int in_order_subtree(int relative_rank, int size) {
  const int lowest_bit = relative_rank == 0 ? size : relative_rank & -relative_rank;
  return std::min(lowest_bit, size - relative_rank);
}

Tree in_order_binomial_tree(Place at, int root) {
  const int relative = relative_to(at, root);
  Tree tree;
  if (relative > 0) tree.parent = relative - (relative & -relative);
  for (int bit = 1; bit < in_order_subtree(relative, at.size); bit *= 2) tree.children.push_back(relative + bit);
  return absolute(std::move(tree), at, root);
}

Tree knomial_tree(Place at, int root, int radix) {
  const int relative = relative_to(at, root);
  Tree tree;
  std::int64_t digit = 1; // weight of the lowest digit that is not 0; beyond the size for the root
  while (digit < at.size && relative % (radix * digit) == 0) digit *= radix;
  if (relative > 0) tree.parent = static_cast<int>(relative / (radix * digit) * (radix * digit));
  for (digit /= radix; digit > 0; digit /= radix)
    for (int i = 1; i < radix; ++i)
      if (const std::int64_t child = relative + i * digit; child < at.size) tree.children.push_back(static_cast<int>(child));
  return absolute(std::move(tree), at, root);
}

Tree binary_tree(Place at, int root) {
  const int relative = relative_to(at, root);
  const int width = floor_power_of_two(relative + 1); // ranks on this rank's level, were it full: level l starts at 2^l - 1
  Tree tree;
  if (relative > 0) {
    const int parent_width = width / 2;
    const int parent_level = parent_width - 1;
    tree.parent = parent_level + (relative - parent_level) % parent_width;
  }
  for (const int child : {relative + width, relative + 2 * width})
    if (child < at.size) tree.children.push_back(child);
  return absolute(std::move(tree), at, root);
}

Tree chain_tree(Place at, int root, int fanout) {
  const int relative = relative_to(at, root);
  const int links = at.size - 1;
  const int chains = std::min(fanout, links);
  Tree tree;
  if (chains == 0) return tree;
  const int shorter = links / chains;
  const int longer_chains = links % chains; // these come first and hold one rank more
  const auto head = [&](int chain) { return 1 + chain * shorter + std::min(chain, longer_chains); };
  if (relative == 0) {
    for (int chain = 0; chain < chains; ++chain) tree.children.push_back(head(chain));
    return absolute(std::move(tree), at, root);
  }
  const int in_longer = longer_chains * (shorter + 1);
  const int chain =
      relative - 1 < in_longer ? (relative - 1) / (shorter + 1) : longer_chains + (relative - 1 - in_longer) / shorter;
  tree.parent = relative == head(chain) ? 0 : relative - 1;
  if (relative + 1 < head(chain + 1)) tree.children.push_back(relative + 1);
  return absolute(std::move(tree), at, root);
}

Tree in_order_binary_tree(Place at) {
  int first = 0; // the range [first, last] of the subtree looked at; its root is `last`
  int last = at.size - 1;
  Tree tree;
  while (true) {
    const int below = last - first;
    const int middle = first + below / 2; // the far child's range is [first, middle - 1], the near child's [middle, last - 1]
    if (last == at.rank) {
      if (last - 1 >= middle) tree.children.push_back(last - 1);
      if (middle - 1 >= first) tree.children.push_back(middle - 1);
      return tree;
    }
    tree.parent = last;
    if (at.rank >= middle) {
      first = middle;
      last = last - 1;
    } else {
      last = middle - 1;
    }
  }
}

} // namespace farcast::collective
