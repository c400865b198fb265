// What ranks compute between their calls: how long it takes on the virtual cores.
//
// A main strand's computation takes what its core makes of the measured time (host/compute.h) or,
// with measured slowdowns, what the ranks that compute on its node meanwhile leave of the core
// (co_runners.h).
// Threads: none; one owner.
#pragma once

#include "predictor/sim/account.h"
#include "predictor/sim/co_runners.h"
#include "predictor/sim/scheduler.h"
#include "predictor/sim/setting.h"

#include <cstdint>
#include <optional>

namespace farcast::sim {

class Computation {
public:
  Computation(const Setting& setting, Scheduler& scheduler, Cores& cores, Account& account);

  // The strand computes up to its operation's call. It goes on by an event, unless that takes no time.
  void begin(std::uint32_t strand);
  // An event of kind Scheduler::kComputation, which may be out of date.
  void end(std::uint32_t rank, double time);
  // Everything of this instant has happened.
  void settle();
  // Returns: how long a second of recorded computation takes the rank at most; 0: co-runners decide
  // that.
  [[nodiscard]] double stretch(std::uint32_t rank) const { return co_runners_ ? 0 : cores_.compute(rank, 1.0); }
  // Returns: seconds that the rank computes before the operation, which no co-runner decides.
  [[nodiscard]] double time_before(std::uint32_t rank, const trace::Operation& operation) const;

private:
  bool begin_among_co_runners(std::uint32_t strand, double measured);
  void spend(const Strand& strand, double begin, double seconds);
  void use_others(const Strand& strand, double begin, double predicted);

  const Setting& setting_;
  Scheduler& scheduler_;
  Cores& cores_;
  Account& account_;
  std::optional<CoRunners> co_runners_; // with slowdowns, or more ranks than cores
};

} // namespace farcast::sim
