#include "predictor/sim/path_tree.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

namespace path_tree_test {

using farcast::sim::PathTree;

namespace {

// What a path is without sharing: all of its sums.
struct Copy {
  PathTree::Node tip;
  std::map<std::uint64_t, double> sums;
};

std::map<std::uint64_t, double> sums_of(const PathTree& tree, PathTree::Node tip) {
  std::map<std::uint64_t, double> out;
  for (const auto& [key, seconds] : tree.sums(tip)) CHECK(out.emplace(key, seconds).second);
  return out;
}

} // namespace

TEST_CASE("paths that share their beginnings have the sums that copies would have, in nodes that do not grow with them") {
  constexpr std::size_t kPaths = 6;
  constexpr int kSteps = 20000;
  PathTree tree;
  std::vector<Copy> paths;
  for (std::size_t i = 0; i < kPaths; ++i) paths.push_back({tree.begin(PathTree::kNoNode), {}});
  std::mt19937 random(7); // NOLINT: the same each time
  std::size_t most = 0;
  for (int step = 0; step < kSteps; ++step) {
    Copy& one = paths[random() % kPaths];
    const std::uint64_t key = random() % 20;
    tree.add(one.tip, key, 0.5 + static_cast<double>(key));
    one.sums[key] += 0.5 + static_cast<double>(key);
    if (random() % 3 == 0) { // another one goes on from there
      Copy& other = paths[random() % kPaths];
      if (&other == &one) continue;
      const PathTree::Node tip = tree.begin(one.tip);
      tree.drop(other.tip);
      other = {tip, one.sums};
    }
    most = std::max(most, tree.nodes());
  }
  for (const Copy& path : paths) CHECK(sums_of(tree, path.tip) == path.sums);
  CHECK(most <= 256);
  for (const Copy& path : paths) tree.drop(path.tip);
  CHECK(tree.nodes() == 0);
}

} // namespace path_tree_test
