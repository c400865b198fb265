// The `predictions` part of the JSON report. See json.h for its invariants and schema.md for its
// fields.
#pragma once

#include "predictor/report/json_text.h"
#include "predictor/report/run_summary.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/sim/prediction.h"

#include <vector>

namespace farcast::report {

Json predictions_value(const std::vector<sim::Prediction>& predictions, const std::vector<SiteInfo>& sites,
                       const std::vector<RegionInfo>& regions, const scenario::RealisationsOf& realisations = {});

} // namespace farcast::report
