// Which members of a communicator share a node, as node-aware collectives see it.
//
// Built once per communicator in O(size); asked for by every member's schedule in O(1).
// Invariants: nodes are numbered by their first rank; ranks of a node ascend.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace farcast::collective {

class NodeLayout {
public:
  // hosts[rank]: any number that ranks of one node have in common. second_half[rank]: whether it is on
  // the second half of its node's sockets; empty: the second half of each node's ranks are.
  explicit NodeLayout(const std::vector<std::uint32_t>& hosts, std::vector<bool> second_half = {})
      : second_half_(std::move(second_half)) {
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
    if (second_half_.empty())
      for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank)
        second_half_.push_back(2 * local_rank(rank) >= static_cast<int>(ranks_on(node_of(rank)).size()));
    for (const std::vector<int>& members : ranks_)
      both_halves_ = both_halves_ || (std::ranges::any_of(members, [&](int rank) { return this->second_half(rank); }) &&
                                      !std::ranges::all_of(members, [&](int rank) { return this->second_half(rank); }));
  }

  // More than one node, and one of them with more than one rank: only then do libraries split a
  // collective by nodes.
  [[nodiscard]] bool two_levels() const { return ranks_.size() > 1 && ranks_.size() < node_.size(); }
  [[nodiscard]] bool consecutive() const { return consecutive_; } // every node's ranks are a range
  [[nodiscard]] int node_of(int rank) const { return node_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int local_rank(int rank) const { return local_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const std::vector<int>& ranks_on(int node) const { return ranks_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] bool second_half(int rank) const { return second_half_[static_cast<std::size_t>(rank)]; }
  // Several nodes, one of them with ranks on both halves: while one half communicates with other nodes
  // the other can rest.
  [[nodiscard]] bool rests() const { return both_halves_ && ranks_.size() > 1; }
  [[nodiscard]] const std::vector<int>& leaders() const { return leaders_; } // [node] its first rank

private:
  std::vector<int> node_;               // [rank]
  std::vector<int> local_;              // [rank] its place among ranks_on(node_of(rank))
  std::vector<std::vector<int>> ranks_; // [node]
  std::vector<int> leaders_;            // [node]
  std::vector<bool> second_half_;       // [rank]
  bool consecutive_ = true;
  bool both_halves_ = false; // of some node are taken
};

} // namespace farcast::collective
