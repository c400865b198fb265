// Writes what a run came to: the text report, the JSON twin, the run file.
#pragma once

#include "predictor/live/prediction_run.h"

#include <string>

namespace farcast::live {

// Returns: the first screen, or with Settings::full_report the whole text report, with a line at its
// end for each file written or not.
std::string write_outputs(trace::Recording& recording, const PredictionRun::Outcome& outcome, const Settings& settings,
                          bool& all_written);

} // namespace farcast::live
