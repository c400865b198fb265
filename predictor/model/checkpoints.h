// A run that writes checkpoints and goes on from the last one after a failure: Daly06, Young74.
//
//   T = M e^(R/M) (e^((tau + delta)/M) - 1) T_s / tau    Daly06, complete; 1 / M: failure rate
//   tau = sqrt(2 delta M)                                Young74: first order
//   tau = sqrt(2 delta M) (1 + sqrt(x) / 3 + x / 9) - delta, x = delta / 2M; M if x >= 1   Daly06
// T_s: the time without failures and checkpoints; tau: computed between two of them; delta: writing
// one; R: restarting. T falls into parts exactly (failures without memory; they hit writing and
// restarting too), by E(x) = M (e^(x/M) - 1), the time that x without failure takes with
// repetitions from its start:
//   computing T_s/tau e^(delta/M) E(tau), writing T_s/tau E(delta),
//   restarting T_s/tau (e^((tau+delta)/M) - 1) E(R)
// What is computed and lost again counts as computing. As Daly has it, the end has a checkpoint
// too, and T_s / tau need not be whole. An interval beyond T_s is T_s. A run without checkpoints:
// tau = T_s, delta = 0. Threads: pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"

namespace farcast::model {

struct Checkpoints {
  base::Seconds interval; // tau
  base::Seconds writing;  // delta
  base::Seconds restart;  // R
};

struct ExpectedRun { // the means over all courses of the run
  base::Seconds time;
  base::Seconds computing, writing, restarting; // together: time
  double failures = 0.0;
};

struct CheckpointPower { // of all nodes
  base::Watts computing, writing, restarting;
};

// `failures`: of all nodes (failures.h); 0: none. Errors: a figure out of range; a run that would
// never end (a time beyond 1e300 s): parts between checkpoints are so long that none gets through.
base::Result<ExpectedRun> expected_run(base::Seconds solve, const Checkpoints& checkpoints, base::Hertz failures);
// Without checkpoints: from the start after each failure.
base::Result<ExpectedRun> expected_run(base::Seconds solve, base::Seconds restart, base::Hertz failures);

// Infinite at failure rate 0. Require: writing >= 0, failures >= 0. Expected times by Daly's are
// within 0.2 % of the least, by Young's within 0.5 % up to writing = M / 10 and 40 % at 2 M
// (tests/closed_form).
base::Seconds young_interval(base::Seconds writing, base::Hertz failures);
base::Seconds daly_interval(base::Seconds writing, base::Hertz failures);

base::Joules expected_energy(const ExpectedRun& run, const CheckpointPower& power);

} // namespace farcast::model
