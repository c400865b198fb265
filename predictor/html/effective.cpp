#include "predictor/html/effective.h"

#include "predictor/collective/counted_bytes.h"
#include "predictor/collective/node_layout.h"
#include "predictor/sim/predict.h"

#include <utility>

namespace farcast::html {

namespace {

using platform::HostId;
using trace::CollectiveKind;
using trace::OperationKind;

// Rank 0 sends one message to rank 1.
class OneMessage final : public trace::Timelines {
public:
  explicit OneMessage(double bytes) : bytes_(bytes) {}
  [[nodiscard]] int ranks() const override { return 2; }
  [[nodiscard]] int timelines() const override { return 2; }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, trace::Operation& out) override {
    constexpr std::array kSender{OperationKind::init, OperationKind::send, OperationKind::finalize};
    constexpr std::array kReceiver{OperationKind::init, OperationKind::receive, OperationKind::finalize};
    std::size_t& at = at_.at(static_cast<std::size_t>(timeline));
    if (at == kSender.size()) return false;
    out = {};
    out.kind = timeline == 0 ? kSender.at(at) : kReceiver.at(at);
    out.peer = 1 - timeline;
    out.bytes = bytes_;
    out.communicator = world_;
    ++at;
    return true;
  }

private:
  double bytes_;
  std::array<std::size_t, 2> at_{};
  std::shared_ptr<const trace::Communicator> world_ =
      std::make_shared<const trace::Communicator>(trace::Communicator{0, {0, 1}, {}});
};

MessageTimes times_between(const scenario::Scenario& scenario, std::string where, HostId from, HostId to) {
  const platform::Platform& platform = scenario.where->platform;
  platform::Placement placement;
  placement.host_of = {from, to};
  placement.core_of = {0, from == to ? 1 : 0};
  sim::Options options = scenario.options;
  options.preconnected = true;
  options.bottlenecks = false;
  options.slowdowns = nullptr;
  options.seed = 0;
  MessageTimes out{std::move(where), platform.hosts[from].name, platform.hosts[to].name, {}};
  for (const double bytes : kMessageBytes) {
    OneMessage message(bytes);
    out.seconds.push_back(sim::predict(message, platform, placement, options).time.value());
  }
  return out;
}

} // namespace

std::vector<MessageTimes> message_times(const scenario::Scenario& scenario) {
  const platform::Platform& platform = scenario.where->platform;
  const std::vector<HostId>& host_of = scenario.where->placement.host_of;
  std::vector<MessageTimes> out;
  const HostId first = host_of.front();
  if (platform.hosts[first].cores > 1) out.push_back(times_between(scenario, "between two cores of a host", first, first));
  HostId second = first;
  for (const HostId host : host_of)
    if (second == first) second = host;
  const auto last = static_cast<HostId>(platform.hosts.size() - 1);
  if (second == first && first < last) second = first + 1;
  if (second != first) out.push_back(times_between(scenario, "between two hosts", first, second));
  if (last != first && last != second) out.push_back(times_between(scenario, "from the first host to the last one", first, last));
  return out;
}

std::vector<CollectiveChoice> collective_choices(const scenario::Scenario& scenario, const std::set<CollectiveKind>& kinds) {
  const collective::Selection& selection = scenario.options.collectives;
  const std::vector<HostId>& host_of = scenario.where->placement.host_of;
  const collective::NodeLayout nodes(std::vector<std::uint32_t>(host_of.begin(), host_of.end()));
  const collective::Context context{.selection = &selection, .nodes = &nodes};
  const collective::Library library = selection.library_or(collective::Library::openmpi);
  std::vector<CollectiveChoice> out;
  if (scenario.options.network == sim::NetworkModel::blocks) return out; // some of them are formulas
  for (const CollectiveKind kind : kinds) {
    if (collective::algorithms_of(library, kind).empty()) continue;
    CollectiveChoice choice{collective::name_of(kind), collective::counted_bytes(kind), {}};
    if (selection.by_formula(kind))
      choice.ranges.push_back({0, "by a formula"});
    else
      choice.ranges = collective::ranges(kind, static_cast<int>(host_of.size()), true, context);
    out.push_back(std::move(choice));
  }
  return out;
}

} // namespace farcast::html
