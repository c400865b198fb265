#include "executor.h"
#include "predictor/collective/algorithms.h"

#include <catch2/catch.hpp>

using namespace farcast::collective;
using namespace farcast::collective::test;

namespace {

// Every rank is listed once, by the rank that it names as its parent, and hangs below the root.
// Returns: depth[rank].
template <class Make> std::vector<int> check_tree(int size, int root, Make make) {
  std::vector<Tree> trees;
  for (int rank = 0; rank < size; ++rank) trees.push_back(make(Place{rank, size}));
  std::vector<int> depth(static_cast<std::size_t>(size), -1);
  std::vector<int> queue{root};
  depth[static_cast<std::size_t>(root)] = 0;
  CHECK(trees[static_cast<std::size_t>(root)].parent == -1);
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const int child : trees[static_cast<std::size_t>(queue[i])].children) {
      REQUIRE(child >= 0);
      REQUIRE(child < size);
      REQUIRE(depth[static_cast<std::size_t>(child)] == -1);
      CHECK(trees[static_cast<std::size_t>(child)].parent == queue[i]);
      depth[static_cast<std::size_t>(child)] = depth[static_cast<std::size_t>(queue[i])] + 1;
      queue.push_back(child);
    }
  REQUIRE(queue.size() == static_cast<std::size_t>(size));
  return depth;
}

} // namespace

TEST_CASE("parents and children agree, from every root") {
  for (const int p : communicator_sizes())
    for (const int root : roots(p)) {
      CAPTURE(p, root);
      const auto deepest = [](const std::vector<int>& depth) { return *std::max_element(depth.begin(), depth.end()); };
      CHECK(deepest(check_tree(p, root, [&](Place at) { return binomial_tree(at, root); })) == log2_floor(p));
      check_tree(p, root, [&](Place at) { return in_order_binomial_tree(at, root); });
      CHECK(deepest(check_tree(p, root, [&](Place at) { return binary_tree(at, root); })) == log2_floor(p));
      for (const int fanout : {1, 2, 4, 200}) {
        const int chains = std::min(fanout, std::max(1, p - 1));
        CHECK(deepest(check_tree(p, root, [&](Place at) { return chain_tree(at, root, fanout); })) ==
              (p - 1 + chains - 1) / chains);
      }
    }
}

TEST_CASE("the in-order binary tree keeps ranks in order and is balanced") {
  for (const int p : communicator_sizes()) {
    CAPTURE(p);
    const std::vector<int> depth = check_tree(p, p - 1, [](Place at) { return in_order_binary_tree(at); });
    CHECK(*std::max_element(depth.begin(), depth.end()) <= log2_ceiling(p));
    for (int rank = 0; rank < p; ++rank) {
      const Tree tree = in_order_binary_tree({rank, p});
      CHECK(std::all_of(tree.children.begin(), tree.children.end(), [&](int child) { return child < rank; }));
      CHECK(tree.children.size() <= 2);
      if (!tree.children.empty()) CHECK(tree.children.front() == rank - 1);
    }
  }
}

TEST_CASE("the binomial tree ends after ceil(log2 p) rounds when a rank sends to one child per round") {
  for (const int p : communicator_sizes()) {
    std::vector<int> reached(static_cast<std::size_t>(p), 0);
    int last = 0;
    for (int rank = 0; rank < p; ++rank) { // parents come before their children
      int round = reached[static_cast<std::size_t>(rank)];
      for (const int child : binomial_tree({rank, p}, 0).children)
        last = std::max(last, reached[static_cast<std::size_t>(child)] = ++round);
    }
    CHECK(last == log2_ceiling(p));
  }
}

TEST_CASE("blocks add up to the buffer") {
  for (const int p : communicator_sizes())
    for (const double n : message_sizes()) {
      CAPTURE(p, n);
      const Blocks even = Blocks::even(n, p);
      const Blocks ceiling = Blocks::ceiling(n, p);
      CHECK(even.sum(0, p) == n);
      CHECK(ceiling.sum(0, p) == n);
      for (int i = 0; i < p; ++i) {
        CHECK((even.size(i) == std::floor(n / p) || even.size(i) == std::ceil(n / p)));
        CHECK(ceiling.size(i) <= std::ceil(n / p));
        CHECK(even.sum_around(i, p) == n);
      }
      const std::vector<double> counts = telling_blocks(p);
      CHECK(Blocks::listed(counts).sum_around(p - 1, p) == Blocks::listed(counts).total());
    }
  CHECK(Blocks::segments(1000, 300).count() == 4);
  CHECK(Blocks::segments(1000, 300).size(3) == 100);
  CHECK(Blocks::segments(900, 300).count() == 3);
  CHECK(Blocks::segments(300, 300).count() == 1);
  CHECK(Blocks::segments(0, 300).count() == 1);
  CHECK(Blocks::segments(1000, 0).size(0) == 1000);
}
