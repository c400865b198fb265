#include "predictor/sim/predict.h"

#include "predictor/model/block_formulas.h"
#include "predictor/sim/engine.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::sim {

namespace {

template <class Table, class Value> std::string_view name_in(const Table& table, Value value) {
  return std::find_if(table.begin(), table.end(), [value](const auto& row) { return row.second == value; })->first;
}

using model::Block;
using trace::CollectiveKind;
constexpr std::array<std::pair<CollectiveKind, Block>, 5> kByBlock{{{CollectiveKind::bcast, Block::broadcast},
                                                                    {CollectiveKind::scatter, Block::scatter},
                                                                    {CollectiveKind::gather, Block::gather},
                                                                    {CollectiveKind::alltoall, Block::all_to_all},
                                                                    {CollectiveKind::barrier, Block::barrier}}};

// Returns: the options with the platform's formulas for collectives that the user gave no other.
Options with_formulas(const platform::Platform& platform, Options options) {
  for (const auto& [kind, block] : kByBlock) {
    const auto& formula = platform.blocks.at(static_cast<std::size_t>(block));
    auto& chosen = options.collectives.blocks.at(static_cast<std::size_t>(kind));
    const bool named = !options.collectives.named.at(static_cast<std::size_t>(kind)).empty();
    if (formula && !chosen && !named) chosen = formula;
  }
  return options;
}

bool all_have_logp(const platform::Platform& platform, const platform::Placement& placement) {
  return std::ranges::all_of(placement.host_of, [&](platform::HostId id) {
    const auto& processor = platform.hosts[id].processor;
    return processor != nullptr && processor->logp;
  });
}

// The formulas' times are those of whole calls.
platform::Platform without_overheads(platform::Platform platform) {
  platform.p2p.send_overhead = platform.p2p.isend_overhead = platform.p2p.receive_overhead = {};
  return platform;
}

} // namespace

std::string_view name_of(WaitMode mode) { return name_in(kWaitModes, mode); }

std::string_view name_of(CollectivePolicy policy) { return name_in(kPolicies, policy); }

base::Result<void> check(const platform::Platform& platform, const platform::Placement& placement, const Options& options) {
  if (options.network == NetworkModel::blocks) {
    if (options.p2p == MessageModel::channel)
      return base::fail(
          "--network blocks takes messages by a formula, and --p2p channel by the library's protocol: expected one");
    if (!platform.blocks.at(static_cast<std::size_t>(Block::point_to_point)) && !all_have_logp(platform, placement))
      return base::fail(
          fmt::format("--network blocks: platform {} has no block formula of messages (farcast:block_p2p), nor have "
                      "all hosts with ranks L, o and g (farcast:logp)",
                      platform.name));
  }
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
  if (options.network == NetworkModel::blocks) return MessageModel::smpi;
  const bool ordered = platform.transport.kind != platform::TransportKind::smpi;
  return options.p2p.value_or(ordered ? MessageModel::channel : MessageModel::smpi);
}

Prediction predict(trace::Timelines& timelines, const platform::Platform& platform, const platform::Placement& placement,
                   const Options& options, Progress* progress, Observer* observer) {
  if (options.network != NetworkModel::blocks) return Engine(timelines, platform, placement, options, progress, observer).run();
  const Options by_formulas = with_formulas(platform, options);
  const platform::Platform without = without_overheads(platform);
  return Engine(timelines, without, placement, by_formulas, progress, observer).run();
}

} // namespace farcast::sim
