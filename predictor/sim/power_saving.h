// Collectives that save power (Kandalla10): at the lowest clock, or throttled as well, while a rank
// is inside a blocking collective call.
//
// Beside what --collectives names an algorithm for:
//   every call           O_dvfs at its begin and at its end; within, cores draw and work as in the
//                        slowest processor state (platform::PowerSaving says what it costs)
//   alltoall(v) (V-A)    throttled: the four phases (collective/four_phase.h), in which the half of
//                        a node's cores that rests is in T7; O_throttle once per node of the call;
//                        as with dvfs where the ranks of no node are on both halves of its sockets
//   bcast, reduce (V-B)  throttled: between nodes the leaders alone (collective/node_leaders.h);
//                        while they communicate the cores of the socket on which the node's leader
//                        runs are in T4, the others in T7; O_throttle at the begin and, of the
//                        leaders, at the end of it. With core_throttle the leader's core alone is
//                        not throttled.
// Our readings: 1. All other collectives run as with dvfs; so do calls within one node, which have
// no phase between nodes. 2. C_throttle of eq. (4) is not a constant: overheads of messages,
// reductions and copies inside the call take as much longer as the clock is slower, and of a leader
// in T4 twice that (half of the cycles); computation elsewhere is as before. 3. The static part of a
// node's power stays that of its own state. 4. The leader is the rank with the lowest number on a
// node; a core is in the policy's state while its own rank is inside the call. 5. By another
// algorithm, or a formula, there are no such phases: the whole call counts as the one between nodes,
// in an all-to-all half of it for each core. Non-blocking collectives, and those of a rank's further
// threads, are played as without. Threads: none; one owner.
#pragma once

#include "predictor/collective/node_layout.h"
#include "predictor/collective/selection.h"
#include "predictor/sim/scheduler.h"
#include "predictor/sim/setting.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace farcast::sim {

// Returns: the algorithms that are asked for, and where nobody asks those that a policy which
// throttles takes.
collective::Selection selection_of(const Options& options);

class PowerSaving {
public:
  PowerSaving(const Setting& setting, Scheduler& scheduler, Cores& cores)
      : setting_(setting), selection_(selection_of(setting.options)), scheduler_(scheduler), cores_(cores) {}

  [[nodiscard]] bool has(const Strand& strand) const { return setting_.options.policy != CollectivePolicy::none && strand.main; }
  // The strand enters a blocking collective, once its core is ready.
  void begin(std::uint32_t strand);
  // Steps of its schedule: its core may rest, or works again. Return: whether that takes no time.
  bool rest(std::uint32_t strand) { return turn(strand, true); }
  bool work(std::uint32_t strand) { return turn(strand, false); }
  // It leaves it; called again once its core is as before. Returns: whether it is.
  bool end(std::uint32_t strand);
  // Adds what it assumes, if it has a policy.
  void say(Prediction& prediction) const;

private:
  struct Nodes { // of a communicator
    std::shared_ptr<const trace::Communicator> communicator;
    std::map<platform::HostId, std::uint32_t> leader; // world rank
    std::optional<collective::NodeLayout> layout;     // unset: of two groups
  };
  struct Call {
    CoreState state = CoreState::slowed;   // from its begin on
    double throttled = 1.0;                // how many times as long work takes then, beside what the clock does
    base::Seconds transitions{0.0};        // of throttling, at its begin and end together
    CoreState resting = CoreState::slowed; // while the schedule lets it rest
    double resting_throttled = 1.0;
    base::Seconds resting_transition{0.0}; // when it begins to rest, and of a leader when that ends
    bool leads = false;
  };

  Nodes& nodes_of(const trace::Operation& operation);
  [[nodiscard]] Call call_of(const Strand& strand);
  [[nodiscard]] CoreState led(std::uint32_t rank, std::uint32_t leader) const;
  [[nodiscard]] platform::PowerSaving costs_of(std::uint32_t rank) const;
  [[nodiscard]] double clock_against_slowest(std::uint32_t rank) const;

  [[nodiscard]] bool rests(const trace::Collective& call, const Nodes& nodes) const;
  // From now on the strand's core is in that state, and its work takes as many times as long.
  void change(Strand& strand, CoreState state, double throttled);
  bool turn(std::uint32_t strand, bool rests);

  const Setting& setting_;
  collective::Selection selection_;
  Scheduler& scheduler_;
  Cores& cores_;
  std::map<const trace::Communicator*, Nodes> nodes_;
};

} // namespace farcast::sim
