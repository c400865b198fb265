// Max-min shares: what groups and links hold, between the solver's runs.
#include "predictor/base/slots.h"
#include "predictor/network/max_min.h"

#include <algorithm>
#include <stdexcept>

namespace farcast::network {

MaxMin::MaxMin(const std::vector<double>& capacities) : links_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) links_[i].capacity = std::max(0.0, capacities[i]);
}

MaxMin::Group MaxMin::add_group(std::span<const Use> uses, double bound, double penalty, std::uint32_t owner) {
  const std::size_t behind = (uses.size() + kUsesPerLine - 1) / kUsesPerLine; // lines
  if (free_groups_.size() <= behind) free_groups_.resize(behind + 1);
  Group group = 0;
  if (free_groups_[behind].empty()) {
    group = static_cast<Group>(lines_.size());
    lines_.resize(lines_.size() + 1 + behind);
    groups_.push_back(group);
  } else {
    group = free_groups_[behind].back();
    free_groups_[behind].pop_back();
  }
  GroupState state;
  state.bound = bound;
  state.inverse_penalty = 1.0 / penalty;
  state.bound_level = bound * penalty;
  state.owner = owner;
  state.use_count = static_cast<std::uint16_t>(uses.size());
  lines_[group].state = state;
  for (std::size_t line = 0; line < behind; ++line) lines_[group + 1 + line].uses = {};
  for_each_use(group, [&](UseSlot& slot, std::uint32_t which) {
    slot = UseSlot{uses[which].link, 0, index_of_weight(uses[which].weight), false};
  });
  return group;
}

void MaxMin::remove_group(Group group) {
  free_groups_[(state_of(group).use_count + kUsesPerLine - 1) / kUsesPerLine].push_back(group);
}

// They are small sums of few figures.
std::uint16_t MaxMin::index_of_weight(double weight) {
  const auto at = std::find(weights_.begin(), weights_.end(), weight) - weights_.begin();
  if (at > UINT16_MAX) throw std::length_error("MaxMin: more than 65,536 different weights");
  if (at == static_cast<std::ptrdiff_t>(weights_.size())) weights_.push_back(weight);
  return static_cast<std::uint16_t>(at);
}

// Returns: the member's position.
std::uint32_t MaxMin::enter_link(LinkState& link, const Member& member) {
  if (!link.is_long && link.size < kFew) {
    link.few[link.size] = member;
    return link.size++;
  }
  if (!link.is_long) {
    const std::uint32_t index = base::take_slot(long_lists_, free_long_lists_);
    long_lists_[index].assign(link.few.begin(), link.few.end());
    link.many = index;
    link.is_long = true;
  }
  long_lists_[link.many].push_back(member);
  return link.size++;
}

void MaxMin::leave_link(LinkState& link, std::uint32_t position) {
  const std::span<Member> all = members(link);
  const Member last = all.back();
  all[position] = last;
  use_of(last).position = position;
  --link.size;
  if (link.is_long) long_lists_[link.many].pop_back();
  if (link.size > 0) return;
  link.load = 0;
  if (!link.is_long) return;
  link.is_long = false;
  free_long_lists_.push_back(link.many);
}

void MaxMin::change_flows(Group group, int delta) {
  GroupState& state = state_of(group);
  const bool was_empty = state.flows == 0;
  state.flows = static_cast<std::uint32_t>(static_cast<std::int64_t>(state.flows) + delta);
  const bool enters = was_empty && state.flows > 0;
  const bool leaves = !was_empty && state.flows == 0;
  if (state.use_count > 1)
    for_each_use(group, [this](const UseSlot& use, std::uint32_t) { __builtin_prefetch(&links_[use.link], 1); });
  for_each_use(group, [&](UseSlot& use, std::uint32_t which) {
    LinkState& link = links_[use.link];
    link.load += delta * weights_[use.weight] * state.bound;
    if (link.changes < UINT16_MAX) ++link.changes;
    if (enters) {
      use.position = enter_link(link, Member{group, static_cast<std::uint16_t>(which), use.weight});
      use.contended = link.contended;
    }
    if (leaves) leave_link(link, use.position);
  });
  if (enters) ++busy_groups_;
  if (leaves) --busy_groups_;
  if (!state.dirty) {
    state.dirty = true;
    dirty_.push_back(group);
  }
}

void MaxMin::fetch(Group group) const {
  constexpr std::size_t kUsual = 3; // its state and the lines of ten uses
  const std::size_t end = std::min(group + kUsual, lines_.size());
  for (std::size_t line = group; line < end; ++line) __builtin_prefetch(&lines_[line]);
}

void MaxMin::fetch_links(Group group) const {
  if (group >= lines_.size()) return;
  for_each_use(&lines_[group], [this](const UseSlot& use, std::uint32_t) { __builtin_prefetch(&links_[use.link], 1); });
}

void MaxMin::fetch_others(Group group) const {
  if (group >= lines_.size()) return;
  for_each_use(&lines_[group], [this](const UseSlot& use, std::uint32_t) {
    const LinkState& link = links_[use.link];
    if (link.is_long) return;
    for (std::uint32_t i = 0; i < link.size; ++i) __builtin_prefetch(&lines_[link.few[i].group], 1);
  });
}

std::vector<double> MaxMin::loads() {
  std::vector<double> out;
  out.reserve(links_.size());
  for (LinkState& link : links_) {
    double load = 0;
    for (const Member& member : members(link)) {
      const GroupState& group = state_of(member.group);
      load += static_cast<double>(group.flows) * weights_[member.weight] * group.rate;
    }
    out.push_back(load);
  }
  return out;
}

} // namespace farcast::network
