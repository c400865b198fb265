#include "predictor/sim/predict.h"

#include "predictor/sim/engine.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::sim {

namespace {

template <class Table, class Value> std::string_view name_in(const Table& table, Value value) {
  return std::find_if(table.begin(), table.end(), [value](const auto& row) { return row.second == value; })->first;
}

} // namespace

std::string_view name_of(WaitMode mode) { return name_in(kWaitModes, mode); }

std::string_view name_of(CollectivePolicy policy) { return name_in(kPolicies, policy); }

base::Result<void> check(const platform::Platform& platform, const platform::Placement& placement, const Options& options) {
  if (options.policy != CollectivePolicy::throttle) return {};
  for (const platform::HostId id : placement.host_of) {
    const platform::Host& host = platform.hosts[id];
    if (host.processor == nullptr || host.processor->saving.sockets == 0)
      return base::fail(fmt::format("policy throttle needs the sockets of host {} of platform {}, which does not say how many "
                                    "it has (farcast:sockets)",
                                    host.name, platform.name));
  }
  return {};
}

MessageModel message_model_of(const platform::Platform& platform, const Options& options) {
  const bool ordered = platform.transport.kind != platform::TransportKind::smpi;
  return options.p2p.value_or(ordered ? MessageModel::channel : MessageModel::smpi);
}

Prediction predict(trace::Timelines& timelines, const platform::Platform& platform, const platform::Placement& placement,
                   const Options& options, Progress* progress, Observer* observer) {
  return Engine(timelines, platform, placement, options, progress, observer).run();
}

} // namespace farcast::sim
