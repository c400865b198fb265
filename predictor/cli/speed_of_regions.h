// `farcast calibrate speed` with files of `farcast calibrate regions`: R_P or the frequency law of
// each region.
#pragma once

#include "predictor/cli/calibrate_commands.h"

namespace farcast::cli {

// Requires: records are not empty. Returns: the exit code.
int compare_regions(const SpeedRequest& request);

} // namespace farcast::cli
