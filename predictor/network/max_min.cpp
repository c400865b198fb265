#include "predictor/network/max_min.h"

#include "predictor/base/fetch_ahead.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace farcast::network {

namespace {

// Relative slack that absorbs rounding in sums over many flows; far below the 1e-9 that results are
// held to.
constexpr double kSlack = 1e-12;
// A link's load is summed afresh after this many changes, so that rounding cannot pile up.
constexpr std::uint16_t kChangesUntilResum = 4096;
// Below this part of its first value, `usage` is summed afresh: what is left of a difference of
// large sums is noise.
constexpr double kCancelled = 1e-4;
// When filling parts has cost this many times what filling everything would, everything tied to the
// part is filled.
constexpr std::size_t kMostWork = 4;
// A part that has more groups than this for each one that lost its hold is left for a new one ...
constexpr std::size_t kMuchLarger = 4;
// ... but only so often, or two parts could take turns without end; else it grows.
constexpr int kMostParts = 6;
constexpr std::uint32_t kMostNewParts = kMostParts + 1; // of one solve
constexpr double kNeverFull = std::numeric_limits<double>::infinity();

} // namespace

bool MaxMin::can_be_full(const LinkState& link) const { return link.load > link.capacity * (1 + kSlack); }

void MaxMin::next_epoch() {
  set_.clear();
  if (part_number_ > UINT32_MAX - kMostNewParts) { // would wrap: old marks could be taken for new ones
    for (LinkState& link : links_) link.part = 0;
    part_number_ = 0;
  }
  if (++epoch_ != 0) return;
  for (const Group group : groups_) state_of(group).visited = 0;
  epoch_ = 1;
}

void MaxMin::next_round() {
  round_ += 2;
  if (round_ != 0) return;
  for (const Group group : groups_) state_of(group).round = 0;
  round_ = 2;
}

void MaxMin::next_part() {
  next_round();
  part_.clear();
  active_.clear();
  ++part_number_;
}

void MaxMin::open(GroupState& group) const {
  group.round = round_;
  group.new_rate = group.bound;
  group.held_by = kNoLink;
}

// From now on new_rate is the group's rate, for now the one that it has.
void MaxMin::enter_set(Group index) {
  GroupState& group = state_of(index);
  if (group.visited == epoch_) return;
  group.visited = epoch_;
  group.new_rate = group.rate;
  set_.push_back(index);
}

void MaxMin::activate(Link index) {
  LinkState& link = links_[index];
  if (link.part == part_number_) return;
  link.part = part_number_;
  link.active = static_cast<std::uint32_t>(active_.size());
  active_.emplace_back().link = index;
}

// Says whether a link can be full. Returns: whether it can be now, or could before.
bool MaxMin::judge(LinkState& link) {
  if (link.changes > kChangesUntilResum) {
    link.changes = 0;
    link.load = 0;
    for (const Member& m : members(link)) link.load += state_of(m.group).flows * weights_[m.weight] * state_of(m.group).bound;
  }
  const bool contended = can_be_full(link);
  if (contended == link.contended) return contended;
  link.contended = contended;
  for (const Member& m : members(link)) use_of(m).contended = contended;
  return true;
}

// Takes a group into the part, and its links that can be full among those to look at. Where the
// group has changed, what they can be may be another thing now, and those that could be full before
// count too.
void MaxMin::join(Group index) {
  GroupState& group = state_of(index);
  if (in_part(group)) return;
  enter_set(index);
  open(group);
  part_.push_back(index);
  for_each_use(index, [&](const UseSlot& use, std::uint32_t) {
    if (group.dirty ? judge(links_[use.link]) : use.contended) activate(use.link);
  });
}

// A new part: these groups and those held back by a link of theirs.
void MaxMin::begin_part(const std::vector<Group>& first) {
  next_part();
  base::for_each_fetched(
      first, [this](Group group) { join(group); }, [this](Group group) { fetch(group); },
      [this](Group group) { fetch_links(group); });
  const std::size_t own = active_.size();
  for (std::size_t i = 0; i < own; ++i) {
    const Link index = active_[i].link;
    for (const Member& m : members(links_[index])) {
      if (state_of(m.group).held_by == index) join(m.group);
    }
  }
}

// The same part and those that lost their hold.
void MaxMin::grow_part() {
  next_round();
  for (const Group group : part_) open(state_of(group));
  for (const Group group : unheld_) join(group);
}

void MaxMin::join_all_tied() {
  for (std::size_t i = 0; i < active_.size(); ++i) { // NOLINT(modernize-loop-convert): joining adds links at the end
    for (const Member& m : members(links_[active_[i].link])) join(m.group);
  }
}

void MaxMin::prepare(std::uint32_t index) {
  ActiveLink& active = active_[index];
  LinkState& link = links_[active.link];
  active.full_level = kNeverFull;
  active.contended = link.contended;
  if (!link.contended) return; // it was full before; its groups are in the part, and may rise
  double others = 0;
  active.usage = 0;
  active.open = active.others = 0;
  active.least_bound = std::numeric_limits<double>::infinity();
  for (const Member& m : members(link)) {
    const GroupState& group = state_of(m.group);
    const double weight = weights_[m.weight];
    if (!in_part(group)) {
      others += group.flows * weight * new_rate(group);
      ++active.others;
      continue;
    }
    active.usage += group.flows * weight * group.inverse_penalty;
    active.least_bound = std::min(active.least_bound, group.bound_level);
    ++active.open;
  }
  active.full_usage = active.usage;
  active.remaining = std::max(0.0, link.capacity - others);
  open_ += active.open;
  if (active.open > 0) heap_.push_back({active.remaining / active.usage, active.link, index});
}

// Finds those groups of a link that are no longer held by a full link on which nobody has a higher
// level, and those of the part that must make room for them.
void MaxMin::find_unheld(const ActiveLink& active) {
  if (!active.contended || active.others == 0) return;
  LinkState& link = links_[active.link];
  double carried = 0;
  double highest = 0; // level of the part's groups
  for (const Member& m : members(link)) {
    const GroupState& group = state_of(m.group);
    const double rate = new_rate(group);
    carried += group.flows * weights_[m.weight] * rate;
    if (in_part(group)) highest = std::max(highest, rate / group.inverse_penalty);
  }
  const bool full = carried >= link.capacity * (1 - kSlack);
  double lowest = kNeverFull; // level of those that lost their hold by it
  for (const Member& m : members(link)) {
    const GroupState& group = state_of(m.group);
    if (in_part(group)) continue;
    const double level = new_rate(group) / group.inverse_penalty;
    const bool holds = full && highest <= level * (1 + kSlack);
    const bool too_high = active.full_level < level * (1 - kSlack); // for those of the part that the link holds back
    const bool unheld = group.held_by == active.link && !holds;
    if (unheld) lowest = std::min(lowest, level);
    if (!too_high && !unheld) continue;
    enter_set(m.group);
    unheld_.push_back(m.group);
  }
  if (!full || lowest == kNeverFull) return;
  for (const Member& m : members(link)) {
    const GroupState& group = state_of(m.group);
    if (in_part(group) && group.new_rate / group.inverse_penalty > lowest * (1 + kSlack)) unheld_.push_back(m.group);
  }
}

void MaxMin::find_unheld() {
  unheld_.clear();
  for (const ActiveLink& active : active_) find_unheld(active);
}

void MaxMin::push_level(double level, std::uint32_t active) {
  heap_.push_back({level, active_[active].link, active});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

double MaxMin::level_of(ActiveLink& active) {
  if (active.usage < active.full_usage * kCancelled) {
    active.usage = 0;
    for (const Member& m : members(links_[active.link])) {
      const GroupState& group = state_of(m.group);
      if (group.round == round_) active.usage += group.flows * weights_[m.weight] * group.inverse_penalty;
    }
    active.full_usage = active.usage;
  }
  return active.remaining / active.usage;
}

void MaxMin::fix(Group index, double rate, Link held_by) {
  GroupState& group = state_of(index);
  group.round = round_ + 1;
  group.new_rate = rate;
  group.held_by = held_by;
  for_each_use(index, [&](const UseSlot& use, std::uint32_t) {
    if (!use.contended) return;
    ActiveLink& active = active_[links_[use.link].active];
    const double flows_weight = group.flows * weights_[use.weight];
    active.remaining = std::max(0.0, active.remaining - flows_weight * rate);
    active.usage -= flows_weight * group.inverse_penalty;
    --active.open;
    --open_;
  });
}

// Fixes the part's groups of a link that reach their own bound no later than the link becomes full.
// No link becomes full before `level`, so they do reach it. Returns: whether there were any.
bool MaxMin::fix_bounded(ActiveLink& active, double level) {
  const double reached = level * (1 + kSlack);
  if (active.least_bound > reached) return false;
  bool any = false;
  double least_bound = std::numeric_limits<double>::infinity();
  for (const Member& m : members(links_[active.link])) {
    const GroupState& group = state_of(m.group);
    if (group.round != round_) continue;
    if (group.bound_level > reached) {
      least_bound = std::min(least_bound, group.bound_level);
      continue;
    }
    fix(m.group, group.bound, kNoLink);
    any = true;
  }
  active.least_bound = least_bound;
  return any;
}

// Gives the groups of the part their rates, all others as they are.
void MaxMin::fill() {
  heap_.clear();
  open_ = 0;
  for (std::uint32_t i = 0; i < active_.size(); ++i) prepare(i);
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  while (open_ > 0 && !heap_.empty()) {
    const Level noted = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    ActiveLink& active = active_[noted.active];
    if (active.open == 0) continue;
    const double level = level_of(active);
    if (level > noted.level * (1 + kSlack)) { // groups were fixed since: its turn comes later
      push_level(level, noted.active);
      continue;
    }
    if (fix_bounded(active, level)) {
      if (active.open > 0) push_level(level_of(active), noted.active);
      continue;
    }
    active.full_level = level;
    for (const Member& m : members(links_[noted.link])) {
      const GroupState& group = state_of(m.group);
      if (group.round == round_) fix(m.group, level * group.inverse_penalty, noted.link);
    }
  }
}

// Returns: whether no other group has flows on any link of this one that can be full, or could
// before this change: nobody's rate hangs on it.
bool MaxMin::is_alone(Group index) {
  const std::uint32_t own = state_of(index).flows > 0 ? 1 : 0;
  bool alone = true;
  for_each_use(index, [&](const UseSlot& use, std::uint32_t) {
    const LinkState& link = links_[use.link];
    const bool never_full = !link.contended && link.changes <= kChangesUntilResum && !can_be_full(link);
    alone = alone && (link.size <= own || never_full);
  });
  return alone;
}

// What fill() gives a part of one group that is alone, in the same steps.
void MaxMin::fill_alone(Group index) {
  GroupState& group = state_of(index);
  group.new_rate = group.bound;
  group.held_by = kNoLink;
  double lowest = kNeverFull; // level at which the first of its links is full
  Link first = kNoLink;
  for_each_use(index, [&](const UseSlot& use, std::uint32_t) {
    LinkState& link = links_[use.link];
    if (link.size > 1 || !judge(link) || !link.contended || group.flows == 0) return;
    const double level = link.capacity / (group.flows * weights_[use.weight] * group.inverse_penalty);
    if (level > lowest || (level == lowest && use.link > first)) return;
    lowest = level;
    first = use.link;
  });
  if (first == kNoLink || group.bound_level <= lowest * (1 + kSlack)) return;
  group.new_rate = lowest * group.inverse_penalty;
  group.held_by = first;
}

// Returns: false when some of what has changed is not alone; then nothing is done.
bool MaxMin::solve_alone(std::vector<Group>& changed) {
  constexpr std::size_t kFewGroups = 4; // of more, one is hardly ever alone
  if (dirty_.size() > kFewGroups) return false;
  for (const Group group : dirty_) {
    if (!is_alone(group)) return false;
  }
  for (const Group group : dirty_) {
    fill_alone(group);
    take_over(group, changed);
    state_of(group).dirty = false;
  }
  dirty_.clear();
  return true;
}

void MaxMin::take_over(Group group, std::vector<Group>& changed) {
  GroupState& state = state_of(group);
  if (state.flows == 0) state.new_rate = 0;
  if (state.new_rate == state.rate) return;
  state.rate = state.new_rate;
  if (state.flows > 0) changed.push_back(group);
}

void MaxMin::solve(std::vector<Group>& changed) {
  if (dirty_.empty() || solve_alone(changed)) return;
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
  base::for_each_fetched(
      set_, [&](Group group) { take_over(group, changed); }, [this](Group group) { fetch_state(group); });
  for (const Group group : dirty_) state_of(group).dirty = false;
  dirty_.clear();
}

} // namespace farcast::network
