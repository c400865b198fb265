#include "predictor/trace/corunners.h"

#include "predictor/trace/function_info.h"

#include <algorithm>

namespace farcast::trace {

namespace {

constexpr std::size_t kDropAtOnce = 4096;

// Most of the row's time was spent between its polls: it is work that looks for messages now and then.
bool mostly_computes(const RecordedCall& call) {
  return call.fold && call.fold->compute_ticks * 2 > stream::duration_of(call.slot.result);
}

} // namespace

CorunnerTrack::CorunnerTrack(Recording& recording) {
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
    if (!rank->threads.empty()) follower.reader = std::make_unique<CallReader>(*rank->threads.front(), recording.world_size);
    follower.ended = follower.reader == nullptr;
  }
}

// Reads on until there is a change to be counted, or the end.
void CorunnerTrack::read(Follower& follower) {
  const std::vector<FunctionInfo>& infos = function_infos();
  RecordedCall call;
  while (follower.changes.empty() && !follower.ended) {
    if (!follower.reader->next(call)) {
      follower.ended = true;
      if (follower.computing) follower.changes.emplace_back(follower.last, false);
      return;
    }
    if (call.slot.function >= infos.size()) continue;
    const FunctionGroup group = infos[call.slot.function].group;
    const std::uint64_t enter = std::max(call.slot.t_enter, follower.last);
    const std::uint64_t leave = enter + stream::duration_of(call.slot.result);
    follower.last = leave;
    if (group == FunctionGroup::init) {
      follower.initialized = true;
      follower.changes.emplace_back(leave, true);
    } else if (group == FunctionGroup::finalize) {
      if (follower.initialized) follower.changes.emplace_back(enter, false);
      follower.ended = true;
    } else if (follower.initialized && !mostly_computes(call)) {
      follower.changes.emplace_back(enter, false);
      follower.changes.emplace_back(leave, true);
    }
  }
}

// Counts all changes up to `until`, in the order of time.
void CorunnerTrack::extend(Node& node, std::uint64_t until) {
  while (node.known_until <= until) {
    Follower* first = nullptr;
    for (const std::size_t rank : node.ranks) {
      Follower& follower = followers_[rank];
      if (follower.changes.empty()) read(follower);
      if (follower.changes.empty()) continue;
      if (first == nullptr || follower.changes.front().first < first->changes.front().first) first = &follower;
    }
    if (first == nullptr) {
      node.known_until = ~std::uint64_t{0};
      return;
    }
    const auto [ticks, computing] = first->changes.front();
    if (ticks > until) {
      node.known_until = ticks;
      return;
    }
    first->changes.pop_front();
    if (first->computing == computing) continue;
    first->computing = computing;
    node.computing = computing ? node.computing + 1 : node.computing - 1;
    if (node.changes.back().ticks == ticks)
      node.changes.back().computing = node.computing;
    else
      node.changes.push_back({ticks, node.computing});
  }
}

void CorunnerTrack::drop_old(Node& node) {
  std::uint64_t needed = cursor_[node.ranks.front()];
  for (const std::size_t rank : node.ranks) needed = std::min(needed, cursor_[rank]);
  if (needed - node.dropped < kDropAtOnce) return;
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
  std::size_t at = cursor_[rank] - node.dropped;
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
