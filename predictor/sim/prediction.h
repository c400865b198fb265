// What the engine says about one run on one platform.
#pragma once

#include "predictor/base/estimate.h"
#include "predictor/base/units.h"
#include "predictor/energy/energy_parts.h"
#include "predictor/host/compute.h"
#include "predictor/model/finding.h"
#include "predictor/platform/platform.h"
#include "predictor/sim/problem.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace farcast::sim {

// What a rank spends its virtual time on. Each instant of a rank belongs to exactly one.
enum class Activity : std::uint8_t {
  compute,        // between MPI calls
  point_to_point, // in sends and receives, partner ready: transfer and overheads
  collective,     // in collectives, including the waiting inside their algorithm
  completion,     // in Wait*/Test* that succeeded, data under way
  waiting,        // in sends, receives, probes and waits before the partner was ready (late sender, late receiver)
  local,          // local and unmodelled MPI calls, and fruitless polls, at their measured time
  ended,          // after this rank's Finalize was entered, until the last one's
};
inline constexpr int kActivities = 7;
const char* name_of(Activity activity); // "compute", "point-to-point", ...

struct RankTimes {
  std::array<base::Seconds, kActivities> in{}; // [activity]; sums up to Prediction::time
  base::Bytes sent{0.0};                       // payload of its sends, those inside collectives included
  std::uint64_t messages = 0;
  std::array<base::Seconds, 2> given_polls{}; // in probes and in tests, as long as the platform says that they take
  base::Joules energy{0.0};                   // sim/energy_shares.h; 0 where Prediction::energy is unset
};

struct SiteTimes { // per call site and rank
  std::uint64_t count = 0;
  base::Seconds total{0.0};
  base::Seconds max{0.0};
  base::Seconds min{0.0};
  base::Joules energy{0.0}; // as of RankTimes
};

struct RegionTimes { // over all ranks
  std::uint64_t visits = 0;
  base::Seconds measured{0.0};
  base::Seconds predicted{0.0};
  base::Joules energy{0.0}; // as of RankTimes
};

// What lies on the critical path (critical_path.h).
enum class PathPart : std::uint8_t {
  compute, // of a region
  call,    // in the calls of a site: overheads, and what is not a message's way
  message, // on the way, by the site of the call that began it
};

enum class WaitState : std::uint8_t {
  late_sender,   // a receive, or a probe, was there before its send
  late_receiver, // a send that needs its receive was there before it
  other,         // of Activity::waiting
  collective,    // in a collective before those entered it whose data it needs; part of Activity::collective
};
inline constexpr int kWaitStates = 4;
using WaitTimes = std::array<base::Seconds, kWaitStates>; // [WaitState]

struct Imbalance { // of a region's computation, over ranks
  base::Seconds most{0.0};
  base::Seconds mean{0.0};
};

struct Bottlenecks {
  std::map<std::pair<PathPart, std::uint32_t>, base::Seconds> path; // (part, region or site); sums up to Prediction::time
  std::vector<base::Seconds> path_on;                               // [rank] of that, but for messages
  std::vector<WaitTimes> ranks;                                     // [rank]
  std::map<std::uint32_t, WaitTimes> sites;                         // where ranks wait
  std::map<std::uint32_t, WaitTimes> regions;                       // what led there
  std::map<std::uint32_t, Imbalance> imbalance;                     // region
};

struct NodeEnergy { // per used node
  std::uint32_t host = 0;
  base::Joules total{0.0};
  base::Seconds idle{0.0}; // time without an active core
};

struct LinkEnergy { // per link that has power figures and carried something
  std::string name;
  base::Bytes carried{0.0}; // headers, acknowledgements and the like included
  base::Joules idle{0.0};
  base::Joules carrying{0.0}; // beside idle
};

// Which model carries messages: SimGrid's independent flows, or ordered channels
// (network/channel_network.h).
enum class MessageModel : std::uint8_t { smpi, channel };
using platform::ProgressRule;

struct TransportUse { // how messages were played
  MessageModel model = MessageModel::smpi;
  ProgressRule progress = ProgressRule::in_call; // of channels, as the rest
  std::uint64_t seed = 0;                        // 0: nothing was left to chance
  bool blocks = false;                           // block formulas between nodes, flows within them
  bool logp = false;                             // beside them L, o and g of hosts' networks

  bool operator==(const TransportUse&) const = default;
};

// What the figures assume, of this platform or in general.
struct FirstHostAsMeasured { // its speed stands for that of the machine that the run was recorded on
  std::string host;
};
struct ClockRulesAll {};   // computation below the first processor state takes as much longer as the clock is slower
struct OneSidedAlone {};   // accesses need no help of their target
struct FilesAsMeasured {}; // MPI-IO, for want of a disk
struct GivenPolls {        // the platform says what a poll costs, and that makes much of some rank's time
  bool probes = false;     // MPI_Iprobe; else MPI_Test
  base::Seconds each{0.0};
  double share = 0.0; // of the time of that rank
  int rank = 0;
};
struct SelfCopied { // messages of a rank to itself, at a speed that nobody measured
  base::BytesPerSecond speed{0.0};
};
struct PollingAssumed { // what a node draws whose cores all poll inside blocking calls
  base::Watts all_polling{0.0};
};
struct MemoryUncontended { // no measured slowdowns were given
  int ranks = 0;           // that share a node, at most
};
struct FewerCores { // a rank has fewer than its threads used when they were recorded
  int recorded = 0;
  int here = 0;
};
struct WaitsBlock { // --mpi-wait block
  base::Seconds spin{0.0};
  base::Seconds wakeup{0.0};
};
struct CollectivesSave { // --policy
  std::string policy;
  base::Seconds dvfs{0.0};
  base::Seconds throttle{0.0}; // 0: the policy does not
  double slowest_clock = 1.0;  // of the first used host, against the one in use
};
struct WithoutFormula {           // --network blocks
  std::vector<std::string> calls; // collectives that were played as messages
};
struct PlatformRemark { // of the reader of its file
  std::string sentence;
};
using Assumption =
    std::variant<FirstHostAsMeasured, ClockRulesAll, OneSidedAlone, FilesAsMeasured, GivenPolls, SelfCopied, PollingAssumed,
                 MemoryUncontended, FewerCores, WaitsBlock, CollectivesSave, WithoutFormula, PlatformRemark>;

struct SlowdownUse { // a file of regions' slowdowns was applied
  std::string file;  // measured on host with ranks, at date
  std::string host;
  int ranks = 0;
  std::string date;                 // empty: the file is SimGrid's, which does not say
  base::Seconds exact{0.0};         // measured computation of regions that the file has
  base::Seconds neighbour{0.0};     // of others, that begin or end where one of them does
  base::Seconds same_file{0.0};     // of others, in a source file of one of them
  base::Seconds none{0.0};          // taken without slowdown
  base::Seconds beyond{0.0};        // of all, beside more co-runners than the file has
  base::Seconds played{0.0};        // predicted computation
  base::Seconds played_beyond{0.0}; // of that, beside more co-runners than the file has
  int corunners_played = 0;         // the largest of these
  int corunners_measured = 0;       // and the largest that the file has for their regions
};

// How far time and energy may be off, by an ensemble of members that each have other draws of what is
// not known (scenario/members.h).
struct Confidence {
  std::optional<base::Interval> time_s;   // 90 %; holds the figure; unset: too few members
  std::optional<base::Interval> energy_j; // likewise; unset where the energy is, or nobody says how sure the watts are
  std::size_t members = 0;
  bool too_dear = false; // as many as an interval needs would have taken too long: none were played
  // Which part of the time's variance comes of what: 1 together, all 0 where nothing varies.
  double computation = 0;         // the recorded durations of regions
  double calibration = 0;         // the platform's figures
  double chance = 0;              // the transport's realisations
  double model = 0;               // how far the models were off where that was measured
  bool computation_known = false; // there were durations to draw from
  bool calibration_known = false; // the platform says how sure its network's figures are
  bool watts_known = false;       // and its watts; else joules have no interval
};

struct Prediction {
  std::string platform;
  std::vector<model::FaultyFile> faulty_files; // which the figures rest on
  bool network_measured = false;               // its platform is of `farcast calibrate network`
  std::string placement;                       // description
  host::ComputeSpeed compute_speed;
  TransportUse transport;
  std::optional<SlowdownUse> slowdowns;
  std::vector<Assumption> assumptions;
  base::Seconds time{0.0};            // latest entry of MPI_Finalize, clocks 0 at the exit of MPI_Init
  std::optional<base::Joules> energy; // of the used nodes; unset: unavailable (no power figures)
  energy::EnergyParts energy_parts;   // of the whole cluster
  base::Joules idle_energy{0.0};      // of that, of nodes without an active core; the rest is the ranks'
  std::vector<NodeEnergy> nodes;
  std::map<std::uint32_t, LinkEnergy> links; // link -> its energy, which `energy` does not have
  int nodes_used = 0;
  int cpus_per_rank = 1;                                 // cores that the placement gives each rank
  std::vector<base::Seconds> other_threads;              // [rank] of cores that its other threads used; empty: none did
  std::vector<RankTimes> ranks;                          // [rank]
  std::map<std::uint32_t, std::vector<SiteTimes>> sites; // site -> [rank]
  std::map<std::uint32_t, RegionTimes> regions;          // region -> totals
  std::optional<Confidence> confidence;                  // where an ensemble was played, or was to be
  std::optional<Bottlenecks> bottlenecks;                // where they were asked for, and the prediction is complete
  std::uint64_t events = 0;
  bool complete = true; // false: a rank stopped short or was blocked for good
  std::vector<Problem> problems;
};

} // namespace farcast::sim
