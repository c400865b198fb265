// Sums of what lies on many paths that share their beginnings, for memory that does not grow with
// the length of the paths.
//
// A path is a chain of nodes from a tip to a root; what is added to a tip is on all paths that go
// on from there. Nodes that one path alone goes through are melted into one: there are at most some
// four times as many nodes as there are tips that are held, or a few hundred.
// Invariants: (1) a node lives as long as somebody holds it or a child of it; (2) the sums along a
// chain are what was added along it. Threads: none; one owner.
#pragma once

#include "predictor/base/slots.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::sim {

class PathTree {
public:
  using Node = std::uint32_t;
  using Sum = std::pair<std::uint64_t, double>; // key, seconds
  static constexpr Node kNoNode = UINT32_MAX;

  // Returns: the tip of a new path, held once. `parent`: where it goes on from; kNoNode: a root.
  Node begin(Node parent);
  void hold(Node node) { ++nodes_[node].holders; }
  // Once for each time that it was held.
  void drop(Node node);
  // Adds to a path. `tip` becomes another node where others go on from it. Requires: the caller
  // holds it.
  void add(Node& tip, std::uint64_t key, double seconds);
  // Returns: the sums from the root to the tip, by ascending key, each key once.
  [[nodiscard]] std::vector<Sum> sums(Node tip) const;
  [[nodiscard]] std::size_t nodes() const { return nodes_.size() - free_.size(); } // that live

private:
  struct Links {
    Node parent = kNoNode;
    std::uint32_t holders = 0; // children included
    std::vector<Sum> sums;     // keys may stand in it several times
    std::size_t limit = 0;     // sums of one key are put together beyond it
  };
  void append(Links& node, std::uint64_t key, double seconds);
  void melt_parents(Node tip);
  void melt_all();

  static constexpr std::size_t kFewNodes = 256;
  std::size_t melt_at_ = kFewNodes; // nodes that live
  std::vector<Links> nodes_;
  std::vector<Node> free_;
};

} // namespace farcast::sim
