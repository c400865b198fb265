// The predictor process of one job on this node, which the ranks start: follows the job, plays it,
// and hands its report back.
//
// In: the job's name, and settings by FARCAST_* variables (settings.h). Out: the report to the
// ranks that wait for it, else where their launcher writes, else into a file; and the files that
// the settings name. Threads: the main one serves the ranks and never simulates; those of
// PredictionRun play.
#pragma once

#include "predictor/live/prediction_run.h"

#include <string>

namespace farcast::live {

// Lets go of all that this process has of the rank that started it. Returns: the exit code.
int predictor_process(const std::string& job, Faults faults);

} // namespace farcast::live
