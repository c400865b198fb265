// What is to be said beside a prediction: what its figures assume of the platform, and why they may
// be far off.
#pragma once

#include "predictor/platform/platform.h"
#include "predictor/region/slowdown_table.h"
#include "predictor/scenario/scenario.h"
#include "predictor/sim/prediction.h"

#include <functional>
#include <string>
#include <vector>

namespace farcast::live {

// The faulty ones of the files that a prediction rests on; calibration knows
// (calib/study/faulty_files.h). `slowdowns` may be null.
using Faults =
    std::function<std::vector<model::FaultyFile>(const platform::Platform& platform, const region::SlowdownTable* slowdowns,
                                                 const std::string& program, const std::string& mpi_library)>;

// What was played; empty names are unknown.
struct Played {
  std::string program;
  std::string mpi_library;
  int cpus_seen = 1; // that the threads of a rank used
};

// `slowdowns`: those that were applied; may be null.
void add_doubts(sim::Prediction& prediction, const scenario::PlacedPlatform& placed, const region::SlowdownTable* slowdowns,
                const Faults& faults, const Played& played);

} // namespace farcast::live
