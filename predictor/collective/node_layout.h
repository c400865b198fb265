// Which members of a communicator share a node, as node-aware collectives see it.
//
// Built once per communicator in O(size); asked for by every member's schedule in O(1).
// Invariants: nodes are numbered by their first rank; ranks of a node ascend.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace farcast::collective {

class NodeLayout {
public:
  // hosts[rank]: any number that ranks of one node have in common.
  explicit NodeLayout(const std::vector<std::uint32_t>& hosts) {
    std::unordered_map<std::uint32_t, int> node_at;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
      const auto [at, added] = node_at.try_emplace(hosts[rank], static_cast<int>(ranks_.size()));
      if (added) {
        ranks_.emplace_back();
        leaders_.push_back(static_cast<int>(rank));
      }
      auto& members = ranks_[static_cast<std::size_t>(at->second)];
      consecutive_ = consecutive_ && (members.empty() || members.back() + 1 == static_cast<int>(rank));
      node_.push_back(at->second);
      local_.push_back(static_cast<int>(members.size()));
      members.push_back(static_cast<int>(rank));
    }
  }

  // More than one node, and one of them with more than one rank: only then do libraries split a
  // collective by nodes.
  [[nodiscard]] bool two_levels() const { return ranks_.size() > 1 && ranks_.size() < node_.size(); }
  [[nodiscard]] bool consecutive() const { return consecutive_; } // every node's ranks are a range
  [[nodiscard]] int node_of(int rank) const { return node_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int local_rank(int rank) const { return local_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const std::vector<int>& ranks_on(int node) const { return ranks_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] const std::vector<int>& leaders() const { return leaders_; } // [node] its first rank

private:
  std::vector<int> node_;               // [rank]
  std::vector<int> local_;              // [rank] its place among ranks_on(node_of(rank))
  std::vector<std::vector<int>> ranks_; // [node]
  std::vector<int> leaders_;            // [node]
  bool consecutive_ = true;
};

} // namespace farcast::collective
