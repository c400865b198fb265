// The steps of `calibrate power`: idle, then each workload on growing numbers of cores, at each
// frequency in turn.
//
// The number of cores and what can be set -> a plan; a plan -> the same steps with the times when
// they began and ended, and the frequency that was seen. Threads: one.
#pragma once

#include "calib/instruments/core_clocks.h"
#include "calib/instruments/power_source.h"
#include "calib/study/power_calibration.h"
#include "predictor/base/result.h"

#include <string>
#include <vector>

namespace farcast::instruments {

// Returns: up to eight cores each number of them, then powers of two and all.
std::vector<int> numbers_of_cores(int cores);
// Returns: the steps in their order. `with_mpi`: polling and probing too.
std::vector<study::LoadStep> plan_steps(int cores, bool with_mpi, const std::vector<double>& frequencies);

struct Bench { // what steps need
  double step_s;
  const std::string& cpufreq; // where clocks are read
  const std::vector<int>& cores;
  const std::string& probe; // path of the load probe
  const PowerSource& source;
  CoreClocks* clocks; // none: not to be set
};

// Ends early, without an error, when a signal has come or the source has failed. The clocks are as
// before on return.
// Errors: a clock that could not be set, a load that could not be made, or ended.
base::Result<void> take_steps(std::vector<study::LoadStep>& steps, const Bench& bench);

} // namespace farcast::instruments
