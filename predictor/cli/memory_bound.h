// --memory-bound: which computation of a recorded run draws the watts of cores that wait for memory.
#pragma once

#include "predictor/base/result.h"
#include "predictor/live/settings.h"
#include "predictor/platform/platform.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/sites.h"

#include <set>

namespace farcast::cli {

// Returns: the call sites that the option names; empty where it was not given. Errors: the run has
// none there.
base::Result<std::set<trace::Frame>> memory_bound_in(trace::Recording& recording, const live::Settings& settings);
// Says in the platform's warnings, which the report states as assumptions, what draws which watts.
// Errors: its nodes have no such figure.
base::Result<void> use_memory_bound(const live::Settings& settings, platform::Platform& platform);

} // namespace farcast::cli
