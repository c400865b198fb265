// Collectives that save power (Kandalla10): at the lowest clock, or throttled as well, while a rank
// is inside a blocking collective call.
//
// The messages of a call are those of the library's algorithm, of an all-to-all that is throttled the
// paper's four phases (collective/four_phase.h), unless --collectives names another; beside them:
//   every call           O_dvfs at its begin and at its end; within, cores draw and work as in the
//                        slowest processor state (platform::PowerSaving says what it costs)
//   alltoall(v) (V-A)    throttled: each core in T7 half of the time, and O_throttle once per node; as
//                        with dvfs where the ranks of no node are on both halves of its sockets
//   bcast, reduce (V-B)  throttled: the cores of the socket on which the node's leader runs in T4,
//                        the others in T7, and O_throttle twice. With core_throttle the leader's
//                        core alone is not throttled.
// Our readings: 1. All other collectives run as with dvfs; so do calls within one node, which have
// no phase between nodes. 2. C_throttle of eq. (4) is not a constant: overheads of messages,
// reductions and copies inside the call take as much longer as the clock is slower, and twice that
// in T4 (half of the cycles); computation elsewhere is as before. 3. The static part of a node's
// power stays that of its own state. 4. The leader is the rank with the lowest number on a node; a
// core is in the policy's state while its own rank is inside the call. Non-blocking collectives,
// and those of a rank's further threads, are played as without. Threads: none; one owner.
#pragma once

#include "predictor/sim/scheduler.h"
#include "predictor/sim/setting.h"

#include <cstdint>
#include <map>
#include <memory>

namespace farcast::sim {

class PowerSaving {
public:
  PowerSaving(const Setting& setting, Scheduler& scheduler, Cores& cores)
      : setting_(setting), scheduler_(scheduler), cores_(cores) {}

  [[nodiscard]] bool has(const Strand& strand) const { return setting_.options.policy != CollectivePolicy::none && strand.main; }
  // The strand enters a blocking collective, once its core is ready.
  void begin(std::uint32_t strand);
  // It leaves it; called again once its core is as before. Returns: whether it is.
  bool end(std::uint32_t strand);
  // Adds what it assumes, if it has a policy.
  void say(Prediction& prediction) const;

private:
  struct Nodes { // of a communicator
    std::shared_ptr<const trace::Communicator> communicator;
    std::map<platform::HostId, std::uint32_t> leader; // world rank
    bool halves_rest = false;                         // NodeLayout::rests()
  };
  struct Call {
    CoreState state = CoreState::slowed;
    double throttled = 1.0;         // how many times as long work takes, beside what the clock does
    base::Seconds transitions{0.0}; // of throttling, in the whole call
  };

  Nodes& nodes_of(const trace::Operation& operation);
  [[nodiscard]] Call call_of(const Strand& strand);
  [[nodiscard]] CoreState led(std::uint32_t rank, std::uint32_t leader) const;
  [[nodiscard]] platform::PowerSaving costs_of(std::uint32_t rank) const;
  [[nodiscard]] double clock_against_slowest(std::uint32_t rank) const;

  const Setting& setting_;
  Scheduler& scheduler_;
  Cores& cores_;
  std::map<const trace::Communicator*, Nodes> nodes_;
};

} // namespace farcast::sim
