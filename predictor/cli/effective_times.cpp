#include "predictor/cli/effective_times.h"

#include "predictor/sim/predict.h"
#include "predictor/trace/operation.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace farcast::cli {

namespace {

using trace::Operation;
using trace::OperationKind;

// One message from rank 0 to the last rank, which may be rank 0 itself.
class OneMessage final : public trace::Timelines {
public:
  OneMessage(int ranks, double bytes) : scripts_(static_cast<std::size_t>(ranks)), at_(scripts_.size(), 0) {
    auto world = std::make_shared<trace::Communicator>();
    world->id = 1;
    world->members.resize(scripts_.size());
    std::iota(world->members.begin(), world->members.end(), 0);
    world_ = world;
    for (int rank = 0; rank < ranks; ++rank) add(rank, OperationKind::init);
    const int to = ranks - 1;
    add(0, to == 0 ? OperationKind::isend : OperationKind::send, to, bytes).request = 1;
    add(to, OperationKind::receive, 0, bytes);
    if (to == 0) add(0, OperationKind::wait).requests = {1};
    for (int rank = 0; rank < ranks; ++rank) add(rank, OperationKind::finalize);
  }
  [[nodiscard]] int ranks() const override { return static_cast<int>(scripts_.size()); }
  [[nodiscard]] int timelines() const override { return ranks(); }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, Operation& out) override {
    const auto index = static_cast<std::size_t>(timeline);
    if (at_[index] == scripts_[index].size()) return false;
    out = scripts_[index][at_[index]++];
    return true;
  }

private:
  Operation& add(int rank, OperationKind kind, int peer = trace::kProcNull, double bytes = 0) {
    Operation& added = scripts_[static_cast<std::size_t>(rank)].emplace_back();
    added.kind = kind;
    added.communicator = world_;
    added.peer = peer;
    added.bytes = bytes;
    return added;
  }

  std::shared_ptr<const trace::Communicator> world_;
  std::vector<std::vector<Operation>> scripts_; // [rank]
  std::vector<std::size_t> at_;                 // [rank]
};

} // namespace

std::vector<PairOfHosts> pairs_to_show(const platform::Platform& platform) {
  std::vector<PairOfHosts> pairs;
  if (platform.hosts.size() > 1) {
    constexpr std::size_t kMostHosts = 4096; // that are compared
    const auto count = static_cast<platform::HostId>(std::min(platform.hosts.size(), kMostHosts));
    platform::HostId near = 1;
    platform::HostId far = 1;
    const auto latency = [&](platform::HostId to) { return platform.route(0, to).latency; };
    for (platform::HostId host = 2; host < count; ++host) {
      if (latency(host) < latency(near)) near = host;
      if (latency(host) > latency(far)) far = host;
    }
    pairs.push_back({"far", 0, far});
    if (latency(near) < latency(far)) pairs.push_back({"near", 0, near});
  }
  if (platform.hosts.front().cores > 1) pairs.push_back({"same node", 0, 0});
  pairs.push_back({"self", 0, 0, true});
  return pairs;
}

base::Seconds message_time(const platform::Platform& platform, const PairOfHosts& pair, double bytes) {
  OneMessage message(pair.self ? 1 : 2, bytes);
  platform::Placement placement;
  placement.host_of = pair.self ? std::vector<platform::HostId>{pair.from} : std::vector<platform::HostId>{pair.from, pair.to};
  placement.core_of = pair.self ? std::vector<int>{0} : std::vector<int>{0, pair.from == pair.to ? 1 : 0};
  sim::Options options;
  options.preconnected = true;
  return sim::predict(message, platform, placement, options).time;
}

} // namespace farcast::cli
