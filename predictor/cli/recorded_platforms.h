// The platforms of a command line for a run that was recorded.
#pragma once

#include "predictor/live/asked.h"
#include "predictor/live/settings.h"
#include "predictor/trace/recording.h"

#include <map>
#include <string>
#include <vector>

namespace farcast::cli {

// Returns: the platforms of the settings, with what was measured of their nodes (--power, --speed,
// --blocks) in place of what they say, and the ranks of the run placed on them.
// Errors: of place_all() and of the records; what a platform does not say and the settings need.
base::Result<std::vector<live::PlacedPlatform>> platforms_for(const live::Settings& settings, const trace::Recording& recording);

// Returns: platforms by their names, with what was measured of their nodes; no rank is placed.
// Errors: as above.
base::Result<std::map<std::string, platform::Platform>> platforms_by_name(const live::Settings& settings,
                                                                          const std::vector<std::string>& names);

} // namespace farcast::cli
