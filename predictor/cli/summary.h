// What was measured, as the reports want it: call sites resolved to file and line, statistics over ranks.
#pragma once

#include "predictor/cli/prediction_run.h"
#include "predictor/report/run_summary.h"

namespace farcast::cli {

// Requires: outcome belongs to this recording. Fills recording.resolved, so that a run file carries the resolved sites.
report::RunSummary summarize(trace::Recording& recording, const PredictionRun::Outcome& outcome);

} // namespace farcast::cli
