// Collectives by a closed formula: no messages; members wait for each other as the data flows (meetings.h).
#include "predictor/sim/engine.h"

#include <algorithm>
#include <limits>

namespace farcast::sim {

// Returns: the slowest way between members that follow each other or that the first one reaches: largest latency, least
// bandwidth.
const collective::Wire& Engine::wire_of(Communicators::Entry& entry, const trace::Communicator& communicator) const {
  if (entry.wire) return *entry.wire;
  collective::Wire wire{.p2p = &platform_.p2p, .latency_s = 0, .bandwidth = std::numeric_limits<double>::max()};
  const auto host = [&](int member) {
    const auto world = static_cast<std::size_t>(member);
    return member >= 0 && world < placement_.host_of.size() ? placement_.host_of[world] : platform::HostId{0};
  };
  const auto add = [&](platform::HostId from, platform::HostId to) {
    const platform::Route route = platform_.route(from, to);
    wire.latency_s = std::max(wire.latency_s, route.latency.value());
    for (const platform::LinkId link : route.links)
      wire.bandwidth = std::min(wire.bandwidth, platform_.links[link].bandwidth.value());
  };
  const std::vector<int>& members = communicator.members;
  for (std::size_t i = 1; i < members.size(); ++i) {
    add(host(members[i - 1]), host(members[i]));
    if (i > 1) add(host(members[0]), host(members[i]));
  }
  if (platform_.p2p.tcp_gamma > 0 && wire.latency_s > 0)
    wire.bandwidth = std::min(wire.bandwidth, platform_.p2p.tcp_gamma / (2 * wire.latency_s));
  entry.wire = wire;
  return *entry.wire;
}

// Makes strand `index` a member of the call that `owner` is in, if that has a formula. Returns: whether it has; the strand then
// waits, or goes on by itself.
bool Engine::meet_in_closed_form(std::uint32_t index, const Strand& owner, const SchedulePlay& play) {
  if (!play.cost) return false;
  const trace::Communicator& communicator = *play.communicator;
  const Meetings::Member member{.strand = index,
                                .rank = play.rank,
                                .size = static_cast<int>(communicator.members.size()),
                                .is_root = owner.operation.collective->root == play.rank};
  const std::uint64_t key = static_cast<std::uint64_t>(communicator.id) << 32 | play.tag;
  released_.clear();
  const std::optional<double> own = meetings_.join(key, member, *play.cost, now_, released_);
  for (const Meetings::Release& release : released_) {
    Strand& other = strands_[release.strand];
    other.outstanding = 0;
    other.busy_until = release.at;
    wake(release.strand);
  }
  Strand& strand = strands_[index];
  strand.outstanding = own ? 0 : 1;
  strand.busy_until = own.value_or(now_);
  return true;
}

} // namespace farcast::sim
