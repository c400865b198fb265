#include "predictor/network/max_min.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace farcast::network {

namespace {

// Relative slack that absorbs rounding in sums over many flows; far below the 1e-9 that results are held to.
constexpr double kSlack = 1e-12;
// A link's load is summed afresh after this many changes, so that rounding cannot pile up.
constexpr std::uint32_t kChangesUntilResum = 4096;
// Below this part of its first value, `usage` is summed afresh: what is left of a difference of large sums is noise.
constexpr double kCancelled = 1e-4;

} // namespace

MaxMin::MaxMin(const std::vector<double>& capacities) : links_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) links_[i].capacity = std::max(0.0, capacities[i]);
}

MaxMin::Group MaxMin::add_group(std::span<const Use> uses, double bound, double penalty) {
  const std::size_t count = uses.size();
  if (free_uses_.size() <= count) free_uses_.resize(count + 1);
  Group group = 0;
  if (free_groups_.empty()) {
    group = static_cast<Group>(groups_.size());
    groups_.emplace_back();
  } else {
    group = free_groups_.back();
    free_groups_.pop_back();
    groups_[group] = GroupState{};
  }
  GroupState& state = groups_[group];
  state.bound = bound;
  state.inverse_penalty = 1.0 / penalty;
  state.bound_level = bound * penalty;
  state.use_count = static_cast<std::uint32_t>(count);
  if (free_uses_[count].empty()) {
    state.first_use = static_cast<std::uint32_t>(uses_.size());
    uses_.resize(uses_.size() + count);
  } else {
    state.first_use = free_uses_[count].back();
    free_uses_[count].pop_back();
  }
  for (std::size_t i = 0; i < count; ++i) uses_[state.first_use + i] = UseSlot{uses[i].link, 0, uses[i].weight};
  return group;
}

void MaxMin::remove_group(Group group) {
  const GroupState& state = groups_[group];
  free_uses_[state.use_count].push_back(state.first_use);
  free_groups_.push_back(group);
}

void MaxMin::add_load(LinkState& link, double amount) {
  link.load += amount;
  ++link.changes;
}

void MaxMin::enter_links(Group group) {
  const GroupState& state = groups_[group];
  for (std::uint32_t use = state.first_use; use < state.first_use + state.use_count; ++use) {
    LinkState& link = links_[uses_[use].link];
    uses_[use].position = static_cast<std::uint32_t>(link.members.size());
    link.members.push_back(Member{group, use, uses_[use].weight});
  }
}

void MaxMin::leave_links(Group group) {
  const GroupState& state = groups_[group];
  for (std::uint32_t use = state.first_use; use < state.first_use + state.use_count; ++use) {
    LinkState& link = links_[uses_[use].link];
    const Member last = link.members.back();
    link.members[uses_[use].position] = last;
    uses_[last.use].position = uses_[use].position;
    link.members.pop_back();
    if (link.members.empty()) link.load = 0;
  }
}

void MaxMin::change_flows(Group group, int delta) {
  GroupState& state = groups_[group];
  const bool was_empty = state.flows == 0;
  state.flows = static_cast<std::uint32_t>(static_cast<std::int64_t>(state.flows) + delta);
  for (std::uint32_t use = state.first_use; use < state.first_use + state.use_count; ++use) {
    add_load(links_[uses_[use].link], delta * uses_[use].weight * state.bound);
  }
  if (was_empty && state.flows > 0) enter_links(group);
  if (!was_empty && state.flows == 0) leave_links(group);
  if (!state.dirty) {
    state.dirty = true;
    dirty_.push_back(group);
  }
}

bool MaxMin::can_be_full(const LinkState& link) const { return link.load > link.capacity * (1 + kSlack); }

void MaxMin::visit(Group group) {
  GroupState& state = groups_[group];
  if (state.visited == epoch_) return;
  state.visited = epoch_;
  state.new_rate = state.bound;
  reached_.push_back(group);
}

// Takes a link, with all its groups, into the present solve.
void MaxMin::reach(Link index) {
  LinkState& link = links_[index];
  link.visited = epoch_;
  if (!link.contended) { // it was full before, so its groups may rise now
    for (const Member& m : link.members) visit(m.group);
    return;
  }
  double usage = 0;
  double least_bound = std::numeric_limits<double>::infinity();
  for (const Member& m : link.members) {
    visit(m.group);
    const GroupState& group = groups_[m.group];
    usage += group.flows * m.weight * group.inverse_penalty;
    least_bound = std::min(least_bound, group.bound_level);
  }
  link.remaining = link.capacity;
  link.usage = link.full_usage = usage;
  link.least_bound = least_bound;
  link.open = static_cast<std::uint32_t>(link.members.size());
  heap_.emplace_back(link.remaining / usage, index);
}

// Gathers what the dirty groups can reach through links that can be full, or that could be before this change.
void MaxMin::collect() {
  reached_.clear();
  heap_.clear();
  for (const Group group : dirty_) visit(group);
  // By index: visiting adds groups at the end.
  for (std::size_t i = 0; i < reached_.size(); ++i) { // NOLINT(modernize-loop-convert)
    const std::uint32_t first = groups_[reached_[i]].first_use;
    const std::uint32_t last = first + groups_[reached_[i]].use_count;
    for (std::uint32_t use = first; use < last; ++use) {
      LinkState& link = links_[uses_[use].link];
      if (link.visited == epoch_) continue;
      if (link.changes > kChangesUntilResum) {
        link.changes = 0;
        link.load = 0;
        for (const Member& m : link.members) link.load += groups_[m.group].flows * m.weight * groups_[m.group].bound;
      }
      const bool contended = can_be_full(link);
      if (!contended && !link.contended) continue;
      link.contended = contended;
      reach(uses_[use].link);
    }
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void MaxMin::push_level(double level, Link link) {
  heap_.emplace_back(level, link);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

double MaxMin::level_of(LinkState& link) {
  if (link.usage < link.full_usage * kCancelled) {
    link.usage = 0;
    for (const Member& m : link.members) {
      const GroupState& group = groups_[m.group];
      if (group.fixed != epoch_) link.usage += group.flows * m.weight * group.inverse_penalty;
    }
    link.full_usage = link.usage;
  }
  return link.remaining / link.usage;
}

void MaxMin::fix(Group index, double rate) {
  GroupState& group = groups_[index];
  group.fixed = epoch_;
  group.new_rate = rate;
  for (std::uint32_t use = group.first_use; use < group.first_use + group.use_count; ++use) {
    LinkState& link = links_[uses_[use].link];
    if (link.visited != epoch_ || !link.contended) continue;
    const double flows_weight = group.flows * uses_[use].weight;
    link.remaining = std::max(0.0, link.remaining - flows_weight * rate);
    link.usage -= flows_weight * group.inverse_penalty;
    --link.open;
  }
}

// Fixes the groups of a link that reach their own bound no later than the link becomes full. No link becomes full before
// `level`, so they do reach it. Returns: whether there were any.
bool MaxMin::fix_bounded(LinkState& link, double level) {
  const double reached = level * (1 + kSlack);
  if (link.least_bound > reached) return false;
  bool any = false;
  double least_bound = std::numeric_limits<double>::infinity();
  for (const Member& m : link.members) {
    const GroupState& group = groups_[m.group];
    if (group.fixed == epoch_) continue;
    if (group.bound_level > reached) {
      least_bound = std::min(least_bound, group.bound_level);
      continue;
    }
    fix(m.group, group.bound);
    any = true;
  }
  link.least_bound = least_bound;
  return any;
}

void MaxMin::fill() {
  while (!heap_.empty()) {
    const auto [noted, index] = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    LinkState& link = links_[index];
    if (link.open == 0) continue;
    const double level = level_of(link);
    if (level > noted * (1 + kSlack)) { // groups were fixed since: its turn comes later
      push_level(level, index);
      continue;
    }
    if (fix_bounded(link, level)) {
      if (link.open > 0) push_level(level_of(link), index);
      continue;
    }
    for (const Member& m : link.members) {
      if (groups_[m.group].fixed != epoch_) fix(m.group, level * groups_[m.group].inverse_penalty);
    }
  }
}

void MaxMin::solve(std::vector<Group>& changed) {
  if (dirty_.empty()) return;
  if (++epoch_ == 0) { // wrapped: old marks could be taken for new ones
    for (GroupState& group : groups_) group.visited = group.fixed = 0;
    for (LinkState& link : links_) link.visited = 0;
    epoch_ = 1;
  }
  collect();
  fill();
  for (const Group group : reached_) {
    GroupState& state = groups_[group];
    if (state.flows == 0) state.new_rate = 0;
    if (state.new_rate == state.rate) continue;
    state.rate = state.new_rate;
    if (state.flows > 0) changed.push_back(group);
  }
  for (const Group group : dirty_) groups_[group].dirty = false;
  dirty_.clear();
}

} // namespace farcast::network
