// Weighted max-min fair rates of flows on links, kept up to date incrementally.
//
// In: links with capacities; groups of flows that are alike (same links, bound and penalty). Out: the rate of each group's
// flows: the largest rates such that
//   1. rate[g] <= bound[g];
//   2. on each link, the sum over its groups of flows[g] * weight[g, link] * rate[g] <= capacity[link];
//   3. each group is at its bound, or uses a link that is full and on which no group has a higher rate[g] * penalty[g]
//      (the bottleneck property, which makes the rates unique).
//
// How: a link whose groups could all run at their bounds can never be full, so it is left out, and ties nothing together.
// What a change can reach is the set of groups joined to it by links that can be full; only that set is filled again. The
// links of that set stand in a heap by the level (rate * penalty) at which they become full. Fixing a group never lowers another
// link's level, so levels are corrected when they come up: the work of one solve is O(uses + links log links) of that set.
// All changes between two calls of solve() are one change.
// Source: SimGrid 3.32's definition of shares and penalties (its solver scans all links in each round); the heap is ours.
// Threads: none; one owner. The same calls give the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace farcast::network {

class MaxMin {
public:
  using Link = std::uint32_t;
  using Group = std::uint32_t;
  struct Use {
    Link link;
    double weight; // > 0: share of each byte that the link carries
  };

  explicit MaxMin(const std::vector<double>& capacities); // capacities[link], bytes per second

  // Returns: a group without flows. Requires: penalty > 0, bound >= 0, each link at most once in `uses`.
  Group add_group(std::span<const Use> uses, double bound, double penalty);
  // Requires: the group has no flows and solve() ran since it lost the last one.
  void remove_group(Group group);
  // Adds (or, negative, takes away) flows of a group.
  void change_flows(Group group, int delta);
  // Brings rates up to date. Appends to `changed` each group with flows whose rate is another one than before.
  void solve(std::vector<Group>& changed);

  [[nodiscard]] bool dirty() const { return !dirty_.empty(); }
  [[nodiscard]] double rate(Group group) const { return groups_[group].rate; } // of each flow, as of the last solve()
  [[nodiscard]] std::uint32_t flows(Group group) const { return groups_[group].flows; }

private:
  struct UseSlot {
    Link link;
    std::uint32_t position; // in the link's members, while the group has flows
    double weight;
  };
  struct alignas(64) GroupState { // one cache line: a solve touches all of it
    double bound = 0;
    double inverse_penalty = 1;
    double bound_level = 0; // bound * penalty
    double rate = 0;
    double new_rate = 0;
    std::uint32_t flows = 0;
    std::uint32_t first_use = 0;
    std::uint32_t use_count = 0;
    std::uint32_t visited = 0; // epoch
    std::uint32_t fixed = 0;   // epoch
    bool dirty = false;
  };
  struct Member {
    Group group;
    std::uint32_t use; // index into uses_
    double weight;     // of that use
  };
  struct LinkState {
    double capacity = 0;
    double load = 0;           // what its groups would carry at their bounds
    double remaining = 0;      // of the capacity, during a solve
    double usage = 0;          // sum of flows * weight / penalty over groups that are not fixed yet
    double full_usage = 0;     // `usage` when it was last summed
    double least_bound = 0;    // no member reaches its bound below this level
    std::uint32_t open = 0;    // members that are not fixed yet
    std::uint32_t visited = 0; // epoch
    std::uint32_t changes = 0; // since `load` was last summed afresh
    bool contended = false;    // as of the last solve that visited it
    std::vector<Member> members;
  };
  using Level = std::pair<double, Link>;

  void enter_links(Group group);
  void leave_links(Group group);
  void add_load(LinkState& link, double amount);
  [[nodiscard]] bool can_be_full(const LinkState& link) const;
  void visit(Group group);
  void collect();
  void reach(Link link);
  void fill();
  bool fix_bounded(LinkState& link, double level);
  void fix(Group group, double rate);
  [[nodiscard]] double level_of(LinkState& link);
  void push_level(double level, Link link);

  std::vector<LinkState> links_;
  std::vector<GroupState> groups_;
  std::vector<UseSlot> uses_;
  std::vector<Group> free_groups_;
  std::vector<std::vector<std::uint32_t>> free_uses_; // [use_count] -> first_use
  std::vector<Group> dirty_;
  std::vector<Group> reached_; // groups of the current solve
  std::vector<Level> heap_;    // its links that can be full, by the level at which they are
  std::uint32_t epoch_ = 0;
};

} // namespace farcast::network
