// Runs the kernels on this node's cores: what `farcast calibrate speed` measures.
//
// Each kernel and size on one core alone and on all cores at the same time, each core with its own
// data; at each frequency; all in random order, again in each repetition, so that a machine that
// grows warm or busy does not pass for a slow kernel. Times are processor times of the thread: what
// other programs take of a core does not count. Threads: one per core while a kernel runs.
#pragma once

#include "calib/instruments/core_clocks.h"
#include "calib/study/speed_record.h"
#include "predictor/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace farcast::instruments {

struct SpeedRuns {
  std::vector<int> cores; // at least one
  int repetitions = 15;
  double sample_s = 0.02;               // at least, of each run
  std::uint64_t seed = 1;               // of the order
  CoreClocks* clocks = nullptr;         // none: not to be set
  std::vector<double> frequencies{0.0}; // in Hz; 0: as they are
};

// What could not be measured goes into `notes`. Ends early, with what there is, when a signal has
// come (ending_signal()). Clocks are as before on return. Errors: a clock that could not be set.
base::Result<std::vector<study::SpeedMeasurement>> run_kernels(const SpeedRuns& runs, std::vector<std::string>& notes);

} // namespace farcast::instruments
