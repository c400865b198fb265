// The critical path and the wait states of a prediction, as sections of the text report and as JSON.
//
// Pure functions; nothing for a prediction without them.
#pragma once

#include "predictor/report/json_text.h"
#include "predictor/report/run_summary.h"
#include "predictor/report/text.h"

#include <string>
#include <vector>

namespace farcast::report {

void append_bottlenecks(std::string& out, const RunSummary& run, const sim::Prediction& prediction, const TextOptions& options);

Json bottlenecks_value(const sim::Bottlenecks& found, const std::vector<SiteInfo>& sites, const std::vector<RegionInfo>& regions);

} // namespace farcast::report
