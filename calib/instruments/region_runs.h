// Runs a program with all its ranks computing together, isolated, and with numbers of them between:
// what `calibrate regions` measures.
//
// Each run is a `farcast run` of its own, recorded and not predicted. A number of ranks that
// compute at a time, co-runners, is held by --isolate; all ranks together is the program as it
// always runs. Threads: one.
#pragma once

#include "calib/instruments/core_clocks.h"
#include "predictor/base/result.h"
#include "predictor/region/slowdown_table.h"

#include <string>
#include <vector>

namespace farcast::instruments {

struct RegionRuns {
  int ranks = 0;
  int repetitions = 3;  // with each number of co-runners
  std::string output;   // what the table will be called
  std::string launcher; // empty: that of the program's MPI library
  std::vector<std::string> launcher_options;
  std::string skip_libraries;
  int stack = 1; // frames by which call sites are told
  std::vector<std::string> program;
  std::string cpufreq = kCpuFolder; // where clocks are read
};

// Returns: the numbers of co-runners that are measured: powers of two below the ranks that can
// compute at a time, and these.
std::vector<int> corunner_counts(int ranks, int cores);

// `folder`: for temporary files. Errors: a run that failed, with the program's last lines; no
// sentence when a signal ended it (ending_signal()).
base::Result<region::SlowdownTable> measure_regions(const RegionRuns& runs, const std::vector<int>& counts,
                                                    const std::string& folder);

} // namespace farcast::instruments
