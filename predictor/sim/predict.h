// The engine: plays timelines on a virtual cluster.
#pragma once

#include "predictor/base/result.h"
#include "predictor/collective/selection.h"
#include "predictor/platform/placement.h"
#include "predictor/platform/platform.h"
#include "predictor/region/slowdowns.h"
#include "predictor/sim/prediction.h"
#include "predictor/trace/operation.h"

#include <array>
#include <atomic>
#include <string_view>
#include <utility>

namespace farcast::sim {

// How a call of MPI waits for what is not there, and what collectives do to save power
// (blocking_waits.h, power_saving.h).
enum class WaitMode : std::uint8_t { poll, block };
enum class CollectivePolicy : std::uint8_t { none, dvfs, throttle, core_throttle };
inline constexpr std::array<std::pair<std::string_view, WaitMode>, 2> kWaitModes{
    {{"poll", WaitMode::poll}, {"block", WaitMode::block}}};
inline constexpr std::array<std::pair<std::string_view, CollectivePolicy>, 4> kPolicies{
    {{"none", CollectivePolicy::none},
     {"dvfs", CollectivePolicy::dvfs},
     {"throttle", CollectivePolicy::throttle},
     {"core-throttle", CollectivePolicy::core_throttle}}};
// What carries messages between nodes, and serves files: flows or channels (MessageModel), or the
// platform's block formulas (Proficz16): messages do not share links then, calls cost nothing beside
// them, and collectives that have a formula take its time. Messages within a node are flows.
enum class NetworkModel : std::uint8_t { flows, blocks };
inline constexpr std::array<std::pair<std::string_view, NetworkModel>, 2> kNetworkModels{
    {{"flows", NetworkModel::flows}, {"blocks", NetworkModel::blocks}}};
std::string_view name_of(WaitMode mode);
std::string_view name_of(CollectivePolicy policy);

struct Options {
  collective::Selection collectives;                // --collectives; library unset: Open MPI's
  std::optional<MessageModel> p2p;                  // --p2p; unset: what the platform's transport says
  std::optional<ProgressRule> progress;             // --progress; unset: the transport's, else in_call with channels
  NetworkModel network = NetworkModel::flows;       // --network
  WaitMode wait = WaitMode::poll;                   // --mpi-wait
  CollectivePolicy policy = CollectivePolicy::none; // --policy
  bool bottlenecks = false;                         // --bottlenecks: Prediction::bottlenecks is wanted
  bool preconnected = false;            // --preconnected: ordered channels are open from the start, not when first needed
  std::uint64_t seed = 0;               // --seed: which realisation ordered channels play (sim/chance.h)
  std::optional<double> relative_speed; // --relative-speed: cores of the platform against the measuring machine's
  double relative_speed_error = 0;      // its standard error, as a share; 0: nobody says (predict() takes no notice of it)
  std::optional<base::FlopsPerSecond> host_speed; // --host-speed: of the measuring machine
  bool speed_of_trace = false;                    // computations were divided by the speeds of the hosts already
  // smpi: messages of a rank to itself go the way that the platform has from a host to itself, over
  // links that lead to others where there is no loopback, as in SimGrid; otherwise they cross no
  // link (platform.h: self_message_at).
  bool self_over_links = false;
  region::Slowdowns* slowdowns = nullptr; // --regions: what co-runners do to regions; not owned, of these timelines alone

  [[nodiscard]] host::AskedSpeed asked_speed() const { return {relative_speed, host_speed, speed_of_trace}; }
};

// Returns: the model that carries the messages: what the options ask for, else what the platform's
// transport says.
MessageModel message_model_of(const platform::Platform& platform, const Options& options);

// Errors: what the platform does not say and these options need.
base::Result<void> check(const platform::Platform& platform, const platform::Placement& placement, const Options& options);

// Where a running prediction stands; written by the engine, read by the progress line.
struct Progress {
  std::atomic<double> virtual_time_s{0.0};
  std::atomic<std::uint64_t> operations{0};
};

class Observer; // sim/observer.h

// Plays all timelines to their end. A function of its arguments: no global state; the same input
// gives the same Prediction, byte for byte, on any number of threads beside it. Events of one
// instant are ordered by (rank, sequence).
// Requires: placement has one entry per rank of the timelines.
Prediction predict(trace::Timelines& timelines, const platform::Platform& platform, const platform::Placement& placement,
                   const Options& options, Progress* progress = nullptr, Observer* observer = nullptr);

} // namespace farcast::sim
