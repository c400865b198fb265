// Whether the threads of ranks had a core each when they were recorded.
//
// More threads than cores take turns. What of that hits the thread that calls MPI is taken out of
// its computation (libinterpose/ pushed_aside.h); that it waits for a thread which had no core is
// not, so the computation was measured too long. Ranks of one thread each that share cores are told
// apart: what they waited for a core is taken out, what they cost each other in caches is not. Pure
// functions.
#pragma once

#include "predictor/report/run_summary.h"
#include "predictor/trace/recording.h"

#include <optional>
#include <vector>

namespace farcast::report {

// Returns: that ranks had fewer cores than threads which computed; of the first node where the
// ranks together had too few, that.
std::vector<CrowdedThreads> crowded_threads(const trace::Recording& recording);
// Returns: the first node whose ranks, of one thread each, were more at a time than cores that they
// might use.
std::optional<SharedCores> shared_cores(const trace::Recording& recording);

} // namespace farcast::report
