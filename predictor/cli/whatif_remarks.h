// What farcast whatif says beside its table: what farcast predict says of each point, and of the run.
#pragma once

#include "predictor/region/slowdown_table.h"
#include "predictor/report/what_if.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/scenario/scenario.h"
#include "predictor/scenario/sweep_store.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/tally.h"

#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

namespace farcast::cli {

// Returns: what the engine says of a realisation, for the sweep to keep.
std::vector<scenario::Remark> engine_remarks(const sim::Prediction& prediction);
// Adds that to a point, and how its realisations differ.
void add_remarks(report::WhatIf& what, std::size_t point, const scenario::SweepAnswer& answer,
                 const std::optional<scenario::Realisations>& realisations);
// Adds what the platform, its nodes and files of calibration leave open at a point. `slowdowns`: may
// be null.
void add_doubts(report::WhatIf& what, std::size_t point, const scenario::PlacedPlatform& placed,
                const region::SlowdownTable* slowdowns, const trace::Recording& recording);

// Counts what was measured, in a thread of its own while points are played.
class RunCautions {
public:
  explicit RunCautions(trace::Recording* recording); // null: nothing is counted; else it outlives the object
  RunCautions(const RunCautions&) = delete;
  RunCautions& operator=(const RunCautions&) = delete;
  ~RunCautions();

  // Waits. Adds why all points may be far off. Requires: nobody reads the recording any more. To be
  // called once.
  void say(report::WhatIf& what);

private:
  trace::Recording* recording_;
  std::vector<trace::MeasuredRank> ranks_;
  std::thread counting_;
};

} // namespace farcast::cli
