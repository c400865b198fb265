// What was measured, as the reports want it: call sites resolved to file and line, statistics over
// ranks.
#pragma once

#include "predictor/report/run_summary.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/sites.h"
#include "predictor/trace/tally.h"

#include <vector>

namespace farcast::report {

// Requires: sites and ranks belong to this recording. Fills recording.resolved, so that a run file
// carries the resolved sites.
RunSummary summarize(trace::Recording& recording, const trace::SiteTable& sites, const std::vector<trace::MeasuredRank>& ranks);

} // namespace farcast::report
