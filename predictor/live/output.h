// Writes what a run came to: the text report, the JSON twin, the run file.
#pragma once

#include "predictor/live/prediction_run.h"

#include <string>

namespace farcast::live {

struct Outputs {
  std::string told; // the first screen, or with Settings::full_report the whole text report, with a line at its end for each file
  std::string whole; // the whole text report, with these lines
  bool all_written = true;
};
Outputs write_outputs(trace::Recording& recording, const PredictionRun::Outcome& outcome, const Settings& settings);

} // namespace farcast::live
