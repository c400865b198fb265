// Weighted max-min fair rates of flows on links, kept up to date incrementally.
//
// In: links with capacities; groups of flows that are alike (same links, bound and penalty). Out:
// the rate of each group's flows: the largest rates such that
//   1. rate[g] <= bound[g];
//   2. on each link, the sum over its groups of flows[g] * weight[g, link] * rate[g] <= capacity[link];
//   3. each group is at its bound, or uses a link that is full and on which no group has a higher
//      rate[g] * penalty[g] (the bottleneck property, which makes the rates unique).
//
// How: rates are kept, and only what a change must touch is filled again, part by part. The first
// part is the changed groups and those that are held back by a link of theirs. It is filled with
// all other rates as they are: the links in its way stand in a heap by the level (rate * penalty)
// at which they become full; fixing a group never lowers another link's level, so levels are
// corrected when they come up. Then property 3 is checked for the other groups on these links.
// Those that lost it, those that their links hold back and those that must make room for them are
// the next part. When nobody lost it, all groups have property 3, so the rates are those of the
// whole system. Parts could take turns without end, so after a few the part only grows; and should
// that take more work than filling everything that links tie to it, all of it is filled. A link
// whose groups could all run at their bounds can never be full: it is left out, and ties nothing
// together. Changes of few groups, on whose links there is nobody else, need no parts.
// All changes between two calls of solve() are one change.
// Source: SimGrid 3.32's definition of shares and penalties (its solver scans all links in each
// round); that a change reaches only what lies downstream of it in the bottleneck structure:
// Ros-Giralt et al., SIGMETRICS 2021; parts, heap and check are ours. Threads: none; one owner. The
// same calls give the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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

  // Returns: a group without flows, which knows whose it is. Requires: penalty > 0, bound >= 0,
  // each link at most once in `uses`, at most 65,536 uses, and as many different weights of all
  // groups together (std::length_error).
  Group add_group(std::span<const Use> uses, double bound, double penalty, std::uint32_t owner = 0);
  // Requires: the group has no flows and solve() ran since it lost the last one.
  void remove_group(Group group);
  // Adds (or, negative, takes away) flows of a group.
  void change_flows(Group group, int delta);
  // Brings rates up to date. Appends to `changed` each group with flows whose rate is another one
  // than before.
  void solve(std::vector<Group>& changed);

  [[nodiscard]] bool dirty() const { return !dirty_.empty(); }
  [[nodiscard]] double rate(Group group) const { return state_of(group).rate; } // of each flow, as of the last solve()
  [[nodiscard]] double bound(Group group) const { return state_of(group).bound; }
  [[nodiscard]] std::uint32_t flows(Group group) const { return state_of(group).flows; }
  [[nodiscard]] std::uint32_t owner(Group group) const { return state_of(group).owner; }

  // Returns: what each link carries, in bytes per second, as of the last solve(). Visits all links
  // and all that is on them.
  [[nodiscard]] std::vector<double> loads();

  // Fetches into the cache, for a change that is to come: what a group is; the group; its links,
  // once that is there; and the groups on these.
  void fetch_state(Group group) const { __builtin_prefetch(&lines_[group], 1); }
  void fetch(Group group) const;
  void fetch_links(Group group) const;
  void fetch_others(Group group) const;

private:
  static constexpr Link kNoLink = UINT32_MAX;
  static constexpr std::size_t kCacheLine = 64;

  struct GroupState { // a solve touches all of it
    double bound = 0;
    double inverse_penalty = 1;
    double bound_level = 0; // bound * penalty
    double rate = 0;
    double new_rate = 0;
    std::uint32_t flows = 0;
    std::uint32_t owner = 0;
    std::uint32_t visited = 0; // epoch: in set_, its new_rate counts
    std::uint32_t round = 0;   // round_: in the part; one more: and has its rate
    Link held_by = kNoLink;    // the full link on which no group has a higher level; none: its own bound
    std::uint16_t use_count = 0;
    bool dirty = false;
  };
  struct UseSlot {
    Link link;
    std::uint32_t position; // in the link's members, while the group has flows
    std::uint16_t weight;   // index into weights_
    bool contended;         // as LinkState::contended, while the group has flows: spares looking at the link
  };
  static constexpr std::size_t kUsesPerLine = kCacheLine / sizeof(UseSlot);
  // A group is a cache line with its state and as many as its uses take behind it; its number is
  // that of the first.
  union alignas(kCacheLine) Line {
    GroupState state{};
    std::array<UseSlot, kUsesPerLine> uses;
  };

  struct Member {
    Group group;
    std::uint16_t use;    // which of the group's
    std::uint16_t weight; // of that use: index into weights_
  };
  static constexpr std::uint32_t kFew = 4;
  struct alignas(kCacheLine) LinkState { // one cache line, while it has few members
    double capacity = 0;
    double load = 0; // what its groups would carry at their bounds
    union {
      std::array<Member, kFew> few{};
      std::uint32_t many; // index into long_lists_
    };
    std::uint32_t size = 0;    // number of members
    std::uint32_t part = 0;    // part_number_: in active_
    std::uint32_t active = 0;  // where in active_
    std::uint16_t changes = 0; // since `load` was last summed afresh; does not go beyond the largest number
    bool contended = false;    // its groups could fill it, as of the last solve
    bool is_long = false;      // its members are in `many`, until it has none
  };
  static_assert(sizeof(Line) == kCacheLine && sizeof(LinkState) == kCacheLine);

  struct ActiveLink { // what a round works with
    Link link = 0;
    std::uint32_t open = 0;   // groups of the part that are not fixed yet
    std::uint32_t others = 0; // groups that are not in the part
    bool contended = false;
    double remaining = 0;   // of the capacity for the part
    double usage = 0;       // sum of flows * weight / penalty over the part's groups that are not fixed yet
    double full_usage = 0;  // `usage` when it was last summed
    double least_bound = 0; // no group of the part reaches its bound below this level
    double full_level = 0;  // at which it became full in this round; infinity: it did not
  };
  struct Level {
    double level;
    Link link;
    std::uint32_t active; // where in active_
    bool operator>(const Level& other) const { return level != other.level ? level > other.level : link > other.link; }
  };

  [[nodiscard]] GroupState& state_of(Group group) { return lines_[group].state; }
  [[nodiscard]] const GroupState& state_of(Group group) const { return lines_[group].state; }
  // Calls visit(use, which) for each use of a group.
  template <class Visit> void for_each_use(Group group, Visit visit) { for_each_use(&lines_[group], visit); }
  template <class LineAt, class Visit> static void for_each_use(LineAt* line, Visit visit) {
    const std::uint32_t count = line->state.use_count;
    for (std::uint32_t which = 0; which < count;) {
      ++line;
      for (std::size_t i = 0; i < kUsesPerLine && which < count; ++i, ++which) visit(line->uses[i], which);
    }
  }
  [[nodiscard]] UseSlot& use_of(const Member& member) {
    return lines_[member.group + 1 + member.use / kUsesPerLine].uses[member.use % kUsesPerLine];
  }
  [[nodiscard]] std::span<Member> members(LinkState& link) {
    return link.is_long ? std::span<Member>(long_lists_[link.many]) : std::span<Member>(link.few.data(), link.size);
  }
  std::uint16_t index_of_weight(double weight);
  std::uint32_t enter_link(LinkState& link, const Member& member);
  void leave_link(LinkState& link, std::uint32_t position);
  [[nodiscard]] bool can_be_full(const LinkState& link) const;
  [[nodiscard]] bool is_alone(Group index);
  void fill_alone(Group index);
  bool solve_alone(std::vector<Group>& changed);
  void take_over(Group group, std::vector<Group>& changed);
  void next_epoch();
  void next_round();
  void next_part();
  void open(GroupState& group) const;
  void join(Group group);
  void activate(Link index);
  bool judge(LinkState& link);
  void begin_part(const std::vector<Group>& first);
  void grow_part();
  void join_all_tied();
  void prepare(std::uint32_t active);
  void fill();
  void find_unheld();
  void find_unheld(const ActiveLink& link);
  void enter_set(Group index);
  bool fix_bounded(ActiveLink& link, double level);
  void fix(Group group, double rate, Link held_by);
  [[nodiscard]] bool in_part(const GroupState& group) const { return (group.round | 1U) == (round_ | 1U); }
  [[nodiscard]] double new_rate(const GroupState& group) const { return group.visited == epoch_ ? group.new_rate : group.rate; }
  [[nodiscard]] double level_of(ActiveLink& link);
  void push_level(double level, std::uint32_t active);

  std::vector<LinkState> links_;
  std::vector<std::vector<Member>> long_lists_;
  std::vector<std::uint32_t> free_long_lists_;
  std::vector<Line> lines_;
  std::vector<Group> groups_;                   // all that were ever made
  std::vector<std::vector<Group>> free_groups_; // [lines that uses take]
  std::vector<double> weights_;                 // that differ: few
  std::vector<Group> dirty_;
  std::vector<Group> set_;         // all groups that this solve has filled
  std::vector<Group> part_;        // groups that this round fills
  std::vector<ActiveLink> active_; // links of theirs that can be full, or could before this change
  std::vector<Group> unheld_;      // those that the next part starts with
  std::uint64_t open_ = 0;         // sum of the links' `open`: at 0 a round is over
  std::vector<Level> heap_;        // of the active links, by the level at which they are full
  std::size_t busy_groups_ = 0;    // that have flows
  std::uint32_t epoch_ = 0;        // of the solve
  std::uint32_t round_ = 0;        // of filling: even numbers
  std::uint32_t part_number_ = 0;
};

} // namespace farcast::network
