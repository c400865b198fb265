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
// When filling parts has cost this many times what filling everything would, everything tied to the part is filled.
constexpr std::size_t kMostWork = 4;
// A part that has more groups than this for each one that lost its hold is left for a new one ...
constexpr std::size_t kMuchLarger = 4;
// ... but only so often, or two parts could take turns without end; else it grows.
constexpr int kMostParts = 6;
constexpr double kNeverFull = std::numeric_limits<double>::infinity();

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
  state.use_count = static_cast<std::uint16_t>(count);
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
  if (was_empty && state.flows > 0) {
    enter_links(group);
    ++busy_groups_;
  }
  if (!was_empty && state.flows == 0) {
    leave_links(group);
    --busy_groups_;
  }
  if (!state.dirty) {
    state.dirty = true;
    dirty_.push_back(group);
  }
}

bool MaxMin::can_be_full(const LinkState& link) const { return link.load > link.capacity * (1 + kSlack); }

void MaxMin::next_epoch() {
  set_.clear();
  if (++epoch_ != 0) return;
  for (GroupState& group : groups_) group.visited = 0; // wrapped: old marks could be taken for new ones
  for (LinkState& link : links_) link.visited = 0;
  epoch_ = 1;
}

void MaxMin::next_round() {
  round_ += 2;
  if (round_ != 0) return;
  for (GroupState& group : groups_) group.round = 0;
  round_ = 2;
}

void MaxMin::next_part() {
  next_round();
  part_.clear();
  active_.clear();
  if (++part_number_ != 0) return;
  for (LinkState& link : links_) link.part = 0;
  part_number_ = 1;
}

void MaxMin::open(GroupState& group) const {
  group.round = round_;
  group.new_rate = group.bound;
  group.held_by = kNoLink;
}

// From now on new_rate is the group's rate, for now the one that it has.
void MaxMin::enter_set(Group index) {
  GroupState& group = groups_[index];
  if (group.visited == epoch_) return;
  group.visited = epoch_;
  group.new_rate = group.rate;
  set_.push_back(index);
}

// Takes a group into the part, and its links that can be full, or could be, among those to look at.
void MaxMin::join(Group index) {
  GroupState& group = groups_[index];
  if (in_part(group)) return;
  enter_set(index);
  open(group);
  part_.push_back(index);
  for (std::uint32_t use = group.first_use; use < group.first_use + group.use_count; ++use) {
    LinkState& link = links_[uses_[use].link];
    if (link.part == part_number_) continue;
    if (link.visited != epoch_) {
      if (link.changes > kChangesUntilResum) {
        link.changes = 0;
        link.load = 0;
        for (const Member& m : link.members) link.load += groups_[m.group].flows * m.weight * groups_[m.group].bound;
      }
      const bool contended = can_be_full(link);
      if (!contended && !link.contended) continue;
      link.visited = epoch_;
      link.contended = contended;
    }
    link.part = part_number_;
    active_.push_back(uses_[use].link);
  }
}

// A new part: these groups and those held back by a link of theirs.
void MaxMin::begin_part(const std::vector<Group>& first) {
  next_part();
  for (const Group group : first) join(group);
  const std::size_t own = active_.size();
  for (std::size_t i = 0; i < own; ++i) {
    const Link index = active_[i];
    for (const Member& m : links_[index].members) {
      if (groups_[m.group].held_by == index) join(m.group);
    }
  }
}

// The same part and those that lost their hold.
void MaxMin::grow_part() {
  next_round();
  for (const Group group : part_) open(groups_[group]);
  for (const Group group : unheld_) join(group);
}

void MaxMin::join_all_tied() {
  for (std::size_t i = 0; i < active_.size(); ++i) { // NOLINT(modernize-loop-convert): joining adds links at the end
    for (const Member& m : links_[active_[i]].members) join(m.group);
  }
}

void MaxMin::prepare(Link index) {
  LinkState& link = links_[index];
  link.full_level = kNeverFull;
  if (!link.contended) return; // it was full before; its groups are in the part, and may rise
  double others = 0;
  link.usage = 0;
  link.open = link.others = 0;
  link.least_bound = std::numeric_limits<double>::infinity();
  for (const Member& m : link.members) {
    const GroupState& group = groups_[m.group];
    if (!in_part(group)) {
      others += group.flows * m.weight * new_rate(group);
      ++link.others;
      continue;
    }
    link.usage += group.flows * m.weight * group.inverse_penalty;
    link.least_bound = std::min(link.least_bound, group.bound_level);
    ++link.open;
  }
  link.full_usage = link.usage;
  link.remaining = std::max(0.0, link.capacity - others);
  open_ += link.open;
  if (link.open > 0) heap_.emplace_back(link.remaining / link.usage, index);
}

// Finds those groups of a link that are no longer held by a full link on which nobody has a higher level, and those of the part
// that must make room for them.
void MaxMin::find_unheld(Link index) {
  const LinkState& link = links_[index];
  if (!link.contended || link.others == 0) return;
  double carried = 0;
  double highest = 0; // level of the part's groups
  for (const Member& m : link.members) {
    const GroupState& group = groups_[m.group];
    const double rate = new_rate(group);
    carried += group.flows * m.weight * rate;
    if (in_part(group)) highest = std::max(highest, rate / group.inverse_penalty);
  }
  const bool full = carried >= link.capacity * (1 - kSlack);
  double lowest = kNeverFull; // level of those that lost their hold by it
  for (const Member& m : link.members) {
    const GroupState& group = groups_[m.group];
    if (in_part(group)) continue;
    const double level = new_rate(group) / group.inverse_penalty;
    const bool holds = full && highest <= level * (1 + kSlack);
    const bool too_high = link.full_level < level * (1 - kSlack); // for those of the part that the link holds back
    const bool unheld = group.held_by == index && !holds;
    if (unheld) lowest = std::min(lowest, level);
    if (!too_high && !unheld) continue;
    enter_set(m.group);
    unheld_.push_back(m.group);
  }
  if (!full || lowest == kNeverFull) return;
  for (const Member& m : link.members) {
    const GroupState& group = groups_[m.group];
    if (in_part(group) && group.new_rate / group.inverse_penalty > lowest * (1 + kSlack)) unheld_.push_back(m.group);
  }
}

void MaxMin::find_unheld() {
  unheld_.clear();
  for (const Link link : active_) find_unheld(link);
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
      if (group.round == round_) link.usage += group.flows * m.weight * group.inverse_penalty;
    }
    link.full_usage = link.usage;
  }
  return link.remaining / link.usage;
}

void MaxMin::fix(Group index, double rate, Link held_by) {
  GroupState& group = groups_[index];
  group.round = round_ + 1;
  group.new_rate = rate;
  group.held_by = held_by;
  for (std::uint32_t use = group.first_use; use < group.first_use + group.use_count; ++use) {
    LinkState& link = links_[uses_[use].link];
    if (link.visited != epoch_ || !link.contended) continue;
    const double flows_weight = group.flows * uses_[use].weight;
    link.remaining = std::max(0.0, link.remaining - flows_weight * rate);
    link.usage -= flows_weight * group.inverse_penalty;
    --link.open;
    --open_;
  }
}

// Fixes the part's groups of a link that reach their own bound no later than the link becomes full. No link becomes full before
// `level`, so they do reach it. Returns: whether there were any.
bool MaxMin::fix_bounded(LinkState& link, double level) {
  const double reached = level * (1 + kSlack);
  if (link.least_bound > reached) return false;
  bool any = false;
  double least_bound = std::numeric_limits<double>::infinity();
  for (const Member& m : link.members) {
    const GroupState& group = groups_[m.group];
    if (group.round != round_) continue;
    if (group.bound_level > reached) {
      least_bound = std::min(least_bound, group.bound_level);
      continue;
    }
    fix(m.group, group.bound, kNoLink);
    any = true;
  }
  link.least_bound = least_bound;
  return any;
}

// Gives the groups of the part their rates, all others as they are.
void MaxMin::fill() {
  heap_.clear();
  open_ = 0;
  for (const Link link : active_) prepare(link);
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  while (open_ > 0 && !heap_.empty()) {
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
    link.full_level = level;
    for (const Member& m : link.members) {
      if (groups_[m.group].round == round_) fix(m.group, level * groups_[m.group].inverse_penalty, index);
    }
  }
}

void MaxMin::solve(std::vector<Group>& changed) {
  if (dirty_.empty()) return;
  next_epoch();
  begin_part(dirty_);
  fill();
  find_unheld();
  std::size_t work = part_.size();
  for (int parts = 1; !unheld_.empty(); ++parts) {
    if (parts < kMostParts && part_.size() > kMuchLarger * unheld_.size()) {
      begin_part(unheld_);
    } else {
      grow_part();
      if (work > kMostWork * busy_groups_) join_all_tied();
    }
    fill();
    find_unheld();
    work += part_.size();
  }
  for (const Group group : set_) {
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
