// Why a prediction takes as long as it does: what the engine's parts tell where Options::bottlenecks
// asks for it.
#pragma once

#include "predictor/sim/critical_path.h"
#include "predictor/sim/wait_states.h"

namespace farcast::sim {

struct Causes {
  Causes(const Scheduler& scheduler, int ranks) : path(scheduler), waits(ranks) {}
  CriticalPath path;
  WaitStates waits;
};

} // namespace farcast::sim
