// Weighted max-min fair rates of flows on links, kept up to date incrementally.
//
// In: links with capacities; groups of flows that are alike (same links, bound and penalty). Out: the rate of each group's
// flows: the largest rates such that
//   1. rate[g] <= bound[g];
//   2. on each link, the sum over its groups of flows[g] * weight[g, link] * rate[g] <= capacity[link];
//   3. each group is at its bound, or uses a link that is full and on which no group has a higher rate[g] * penalty[g]
//      (the bottleneck property, which makes the rates unique).
//
// How: rates are kept, and only what a change must touch is filled again, part by part. The first part is the changed groups and
// those that are held back by a link of theirs. It is filled with all other rates as they are: the links in its way stand in a
// heap by the level (rate * penalty) at which they become full; fixing a group never lowers another link's level, so levels are
// corrected when they come up. Then property 3 is checked for the other groups on these links. Those that lost it, those that
// their links hold back and those that must make room for them are the next part. When nobody lost it, all groups have property
// 3, so the rates are those of the whole system. Parts could take turns without end, so after a few the part only grows; and
// should that take more work than filling everything that links tie to it, all of it is filled. A link whose groups could all
// run at their bounds can never be full: it is left out, and ties nothing together.
// All changes between two calls of solve() are one change.
// Source: SimGrid 3.32's definition of shares and penalties (its solver scans all links in each round); that a change reaches
// only what lies downstream of it in the bottleneck structure: Ros-Giralt et al., SIGMETRICS 2021; parts, heap and check are
// ours. Threads: none; one owner. The same calls give the same bits.
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
  static constexpr Link kNoLink = UINT32_MAX;
  struct alignas(64) GroupState { // one cache line: a solve touches all of it
    double bound = 0;
    double inverse_penalty = 1;
    double bound_level = 0; // bound * penalty
    double rate = 0;
    double new_rate = 0;
    std::uint32_t flows = 0;
    std::uint32_t first_use = 0;
    std::uint32_t visited = 0; // epoch: in set_, its new_rate counts
    std::uint32_t round = 0;   // round_: in the part; one more: and has its rate
    Link held_by = kNoLink;    // the full link on which no group has a higher level; none: its own bound
    std::uint16_t use_count = 0;
    bool dirty = false;
  };
  struct Member {
    Group group;
    std::uint32_t use; // index into uses_
    double weight;     // of that use
  };
  struct alignas(64) LinkState { // what every change touches in one cache line, what a round works with in the next
    double capacity = 0;
    double load = 0; // what its groups would carry at their bounds
    std::vector<Member> members;
    std::uint32_t visited = 0; // epoch: `contended` is known
    std::uint32_t changes = 0; // since `load` was last summed afresh
    std::uint32_t open = 0;    // groups of the part that are not fixed yet
    std::uint32_t others = 0;  // groups that are not in the part
    bool contended = false;    // as of the last solve that visited it

    double remaining = 0;   // of the capacity for the part, during a round
    double usage = 0;       // sum of flows * weight / penalty over the part's groups that are not fixed yet
    double full_usage = 0;  // `usage` when it was last summed
    double least_bound = 0; // no group of the part reaches its bound below this level
    double full_level = 0;  // at which it became full in this round; infinity: it did not
    std::uint32_t part = 0; // part_number_: in active_
  };
  using Level = std::pair<double, Link>;

  void enter_links(Group group);
  void leave_links(Group group);
  void add_load(LinkState& link, double amount);
  [[nodiscard]] bool can_be_full(const LinkState& link) const;
  void next_epoch();
  void next_round();
  void next_part();
  void open(GroupState& group) const;
  void join(Group group);
  void begin_part(const std::vector<Group>& first);
  void grow_part();
  void join_all_tied();
  void prepare(Link index);
  void fill();
  void find_unheld();
  void find_unheld(Link index);
  void enter_set(Group index);
  bool fix_bounded(LinkState& link, double level);
  void fix(Group group, double rate, Link held_by);
  [[nodiscard]] bool in_part(const GroupState& group) const { return (group.round | 1U) == (round_ | 1U); }
  [[nodiscard]] double new_rate(const GroupState& group) const { return group.visited == epoch_ ? group.new_rate : group.rate; }
  [[nodiscard]] double level_of(LinkState& link);
  void push_level(double level, Link link);

  std::vector<LinkState> links_;
  std::vector<GroupState> groups_;
  std::vector<UseSlot> uses_;
  std::vector<Group> free_groups_;
  std::vector<std::vector<std::uint32_t>> free_uses_; // [use_count] -> first_use
  std::vector<Group> dirty_;
  std::vector<Group> set_;      // all groups that this solve has filled
  std::vector<Group> part_;     // groups that this round fills
  std::vector<Link> active_;    // links of theirs that can be full, or could before this change
  std::vector<Group> unheld_;   // those that the next part starts with
  std::uint64_t open_ = 0;      // sum of the links' `open`: at 0 a round is over
  std::vector<Level> heap_;     // of the active links, by the level at which they are full
  std::size_t busy_groups_ = 0; // that have flows
  std::uint32_t epoch_ = 0;     // of the solve
  std::uint32_t round_ = 0;     // of filling: even numbers
  std::uint32_t part_number_ = 0;
};

} // namespace farcast::network
