#include "predictor/sim/wait_states.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace farcast::sim {

using trace::CollectiveKind;

namespace {

// Whose data a member of a collective needs.
enum class Needs : std::uint8_t { all, root, at_root, before, some };

Needs needs_of(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::bcast:
  case CollectiveKind::scatter:
  case CollectiveKind::scatterv:
    return Needs::root;
  case CollectiveKind::reduce:
  case CollectiveKind::gather:
  case CollectiveKind::gatherv:
    return Needs::at_root;
  case CollectiveKind::scan:
  case CollectiveKind::exscan:
    return Needs::before;
  case CollectiveKind::neighbor_allgather:
  case CollectiveKind::neighbor_allgatherv:
  case CollectiveKind::neighbor_alltoall:
  case CollectiveKind::neighbor_alltoallv:
  case CollectiveKind::neighbor_alltoallw:
    return Needs::some;
  default:
    return Needs::all;
  }
}

} // namespace

void WaitStates::book(std::uint32_t rank, std::uint32_t site, std::uint32_t region, WaitState state, double seconds) {
  const auto at = static_cast<std::size_t>(state);
  ranks_[rank][at] += base::Seconds(seconds);
  sites_[site][at] += base::Seconds(seconds);
  regions_[region][at] += base::Seconds(seconds);
}

void WaitStates::waited(std::uint32_t strand, std::uint32_t rank, const trace::Operation& operation, double seconds) {
  if (!(seconds > 0)) return;
  const bool probes = operation.kind == trace::OperationKind::probe;
  const Request::Kind named = strand < late_.size() ? late_[strand] : Request::Kind::storage; // it waits to begin, in MPI_Init
  const Request::Kind kind = probes ? Request::Kind::receive : named;
  const WaitState state = kind == Request::Kind::receive ? WaitState::late_sender
                          : kind == Request::Kind::send  ? WaitState::late_receiver
                                                         : WaitState::other;
  book(rank, operation.site, operation.region, state, seconds);
}

void WaitStates::computed(std::uint32_t rank, std::uint32_t region, double seconds) {
  std::vector<double>& by_rank = computed_[region];
  if (by_rank.empty()) by_rank.resize(ranks_.size());
  by_rank[rank] += seconds;
}

void WaitStates::collective(std::uint32_t communicator, std::uint32_t call, std::size_t members, CollectiveKind kind, int root,
                            const Member& member) {
  const std::uint64_t key = static_cast<std::uint64_t>(communicator) << 32 | call;
  std::vector<Member>& there = *under_way_.emplace(key).first;
  there.push_back(member);
  if (there.size() < members) return;
  std::vector<Member> whole = std::move(there);
  under_way_.erase(key);
  judge(whole, kind, root);
}

void WaitStates::judge(std::vector<Member>& members, CollectiveKind kind, int root) {
  const Needs needs = needs_of(kind);
  if (needs == Needs::some) return; // who its neighbours are is not known here
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.member < b.member; });
  double last = 0; // entry of those whose data is needed
  for (const Member& member : members) {
    if (needs != Needs::root || member.member == root) last = std::max(last, member.begin);
  }
  double so_far = 0;
  for (const Member& member : members) {
    so_far = std::max(so_far, member.begin);
    if (!member.blocking || (needs == Needs::at_root && member.member != root)) continue;
    const double there = needs == Needs::before ? so_far : last;
    const double waits = std::min(there, member.end) - member.begin;
    if (waits > 0) book(member.rank, member.site, member.region, WaitState::collective, waits);
  }
}

void WaitStates::report(Bottlenecks& out) const {
  out.ranks = ranks_;
  out.sites = sites_;
  out.regions = regions_;
  for (const auto& [region, by_rank] : computed_) {
    const double sum = std::accumulate(by_rank.begin(), by_rank.end(), 0.0);
    out.imbalance[region] = {base::Seconds(*std::max_element(by_rank.begin(), by_rank.end())),
                             base::Seconds(sum / static_cast<double>(by_rank.size()))};
  }
}

} // namespace farcast::sim
