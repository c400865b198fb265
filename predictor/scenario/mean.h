// The mean of several realisations of one prediction: every figure of it, so that times still sum
// up and joules too.
//
// Threads: pure functions.
#pragma once

#include "predictor/sim/prediction.h"

#include <vector>

namespace farcast::scenario {

// Returns: the first one's facts with the mean of all figures (counts rounded). Requires: members
// is not empty; one platform, placement, program and numbering of sites.
sim::Prediction mean_of(const std::vector<sim::Prediction>& members);

} // namespace farcast::scenario
