#include "predictor/trace/corunners.h"

#include "predictor/trace/function_info.h"

#include <algorithm>

namespace farcast::trace {

namespace {

constexpr std::size_t kDropAtOnce = 4096;
constexpr std::size_t kMostChanges = std::size_t{1} << 22; // a rank that does not get on keeps no more: 64 MB

} // namespace

CorunnerTrack::CorunnerTrack(Recording& recording, bool answers) : answers_(answers) {
  const std::lock_guard<std::mutex> lock(recording.mutex); // further threads may come
  std::vector<std::string> hosts;
  for (const auto& rank : recording.ranks) {
    const auto known = std::find(hosts.begin(), hosts.end(), rank->host);
    const auto node = static_cast<std::uint32_t>(known - hosts.begin());
    if (known == hosts.end()) {
      hosts.push_back(rank->host);
      nodes_.emplace_back().changes.push_back({0, 0});
    }
    nodes_[node].cores = static_cast<std::uint32_t>(std::max(0, rank->cores));
    nodes_[node].isolated = nodes_[node].isolated && rank->isolation == 1;
    nodes_[node].ranks.push_back(followers_.size());
    node_of_.push_back(node);
    cursor_.push_back(0);
    Follower& follower = followers_.emplace_back();
    if (!rank->threads.empty()) follower.cursor.emplace(*rank->threads.front());
    follower.ended = !follower.cursor;
  }
}

void CorunnerTrack::Follower::change(std::uint64_t ticks, bool computes) {
  last = std::max(last, ticks);
  changes.emplace_back(last, computes);
}

void CorunnerTrack::Follower::end() {
  ended = true;
  if (initialized) change(last, false);
}

// Returns: false where nothing more is known: so it was until now then. `look`: asks a coupled rank once
// in each; 0: waits.
bool CorunnerTrack::Follower::read_on(std::uint64_t look) {
  SlotSource* const source = look == 0 ? nullptr : cursor->source();
  if (source != nullptr && looked == look) return false;
  const SlotSource::LastCall call = source == nullptr ? SlotSource::LastCall{} : source->bring();
  if (source != nullptr && cursor->behind() == 0 && !cursor->closed()) {
    looked = look;
    see(call);
    return !changes.empty();
  }
  at = 0;
  seen = {}; // to be seen behind these
  slots = cursor->next();
  if (slots.empty()) end();
  return true;
}

// The last call, which has perhaps not been read.
void CorunnerTrack::Follower::see(const SlotSource::LastCall& call) {
  if (call.entered == seen.entered && call.left == seen.left) return;
  seen = call;
  initialized = true;
  change(call.entered, false);
  if (call.left >= call.entered) change(call.left, true);
}

void CorunnerTrack::Follower::follow(const stream::Slot& slot) {
  switch (slot.kind) {
  case stream::SlotKind::call:
    return follow(slot.call);
  case stream::SlotKind::fold:
    // Where most of the time was spent between polls it is work that looks for messages now and then.
    if (row && slot.extension.fold.compute_ticks * 2 <= stream::duration_of(row->result)) {
      change(row->t_enter, false);
      change(row->t_enter + stream::duration_of(row->result), true);
    }
    row.reset();
    return;
  case stream::SlotKind::row:
    if (std::max(slot.extension.row.compute_ticks, slot.extension.row.in_ticks) > stream::kDurationMask) return end(); // damaged
    if (!initialized) return;
    change(last + slot.extension.row.compute_ticks, false);
    change(last + slot.extension.row.in_ticks, true);
    return;
  case stream::SlotKind::invalid:
    return end();
  default:
    return;
  }
}

void CorunnerTrack::Follower::follow(const stream::CallSlot& call) {
  const std::vector<FunctionInfo>& infos = function_infos();
  if (call.function >= infos.size()) return;
  const FunctionGroup group = infos[call.function].group;
  const std::uint64_t leave = call.t_enter + stream::duration_of(call.result);
  if (group == FunctionGroup::init) {
    initialized = true;
    change(leave, true);
  } else if (group == FunctionGroup::finalize) {
    last = std::max(last, call.t_enter);
    end();
  } else if (!initialized) {
    last = std::max(last, leave);
  } else if ((call.flags & stream::kFlagRow) != 0) {
    row = call;
  } else {
    if ((call.flags & stream::kFlagAnswer) == 0) change(call.t_enter, false);
    if ((call.flags & stream::kFlagAnnounced) == 0) change(leave, true);
  }
}

// Reads on until there is a change to be counted, the end, or what is not known yet.
void CorunnerTrack::read(Follower& follower) const {
  while (follower.changes.empty() && !follower.ended) {
    if (follower.at < follower.slots.size())
      follower.follow(follower.slots[follower.at++]);
    else if (!follower.read_on(answers_ ? looks_ : 0))
      return;
  }
}

// Counts all changes up to `until`, in the order of time.
void CorunnerTrack::extend(Node& node, std::uint64_t until) {
  ++looks_;
  while (node.known_until <= until) {
    Follower* first = nullptr;
    bool all_known = true; // what comes later
    for (const std::size_t rank : node.ranks) {
      Follower& follower = followers_[rank];
      if (follower.changes.empty()) read(follower);
      all_known = all_known && (follower.ended || !follower.changes.empty());
      if (follower.changes.empty()) continue;
      if (first == nullptr || follower.changes.front().first < first->changes.front().first) first = &follower;
    }
    if (first == nullptr || first->changes.front().first > until) {
      node.known_until = !all_known ? until + 1 : first == nullptr ? ~std::uint64_t{0} : first->changes.front().first;
      return;
    }
    const auto [at, computing] = first->changes.front();
    first->changes.pop_front();
    if (first->computing == computing) continue;
    first->computing = computing;
    node.computing = computing ? node.computing + 1 : node.computing - 1;
    const std::uint64_t ticks = std::max(at, node.changes.back().ticks); // some come to be known late
    if (node.changes.back().ticks == ticks)
      node.changes.back().computing = node.computing;
    else
      node.changes.push_back({ticks, node.computing});
  }
}

void CorunnerTrack::drop_old(Node& node) {
  std::uint64_t needed = cursor_[node.ranks.front()];
  for (const std::size_t rank : node.ranks) needed = std::min(needed, cursor_[rank]);
  if (node.changes.size() > kMostChanges) needed = node.dropped + node.changes.size() / 2;
  if (needed < node.dropped + kDropAtOnce) return;
  node.changes.erase(node.changes.begin(), node.changes.begin() + static_cast<std::ptrdiff_t>(needed - node.dropped));
  node.dropped = needed;
}

void CorunnerTrack::shares(std::size_t rank, std::uint64_t from, std::uint64_t to, std::vector<double>& share) {
  Node& node = nodes_[node_of_[rank]];
  share.assign(1, 0.0);
  if (to <= from || node.isolated) {
    share[0] = 1.0;
    return;
  }
  extend(node, to);
  std::size_t at = std::max(cursor_[rank], node.dropped) - node.dropped;
  while (at + 1 < node.changes.size() && node.changes[at + 1].ticks <= from) ++at;
  cursor_[rank] = at + node.dropped;
  const double whole = static_cast<double>(to - from);
  const std::uint32_t most = node.cores > 0 ? node.cores : ~0u;
  for (std::uint64_t now = from; now < to; ++at) {
    const std::uint64_t end = at + 1 < node.changes.size() ? std::min(to, node.changes[at + 1].ticks) : to;
    if (end <= now) continue;
    const std::uint32_t corunners = std::clamp(node.changes[at].computing, 1u, most); // it computes itself
    if (share.size() < corunners) share.resize(corunners, 0.0);
    share[corunners - 1] += static_cast<double>(end - now) / whole;
    now = end;
  }
  drop_old(node);
}

} // namespace farcast::trace
