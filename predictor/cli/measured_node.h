// Records of `farcast calibrate power` and `farcast calibrate speed` in place of what platforms say.
#pragma once

#include "predictor/live/asked.h"

#include <vector>

namespace farcast::cli {

// --power and --speed: the hosts get the watts of the one, and follow their clock by the other. Says
// so in the platforms' warnings, which the report states as assumptions. Errors: a file that cannot
// be read; a host that it does not fit.
base::Result<void> use_records(const live::Settings& settings, std::vector<live::PlacedPlatform>& platforms);

} // namespace farcast::cli
