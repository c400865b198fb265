// What the input of a prediction leaves open and the prediction therefore assumes, for
// Prediction::assumptions.
//
// The same for the same input. Pure functions.
#pragma once

#include "predictor/platform/placement.h"
#include "predictor/platform/platform.h"
#include "predictor/sim/prediction.h"

#include <vector>

namespace farcast::report {

// Returns: power figures that were taken from another state, and what the platform file asks for
// that is not modelled.
std::vector<sim::Assumption> assumptions_of(const platform::Platform& platform);
// Returns: that ranks which share a node do not slow each other down; empty where none do, or
// `slowdowns` were given.
std::vector<sim::Assumption> contention_assumption(const platform::Placement& placement, bool slowdowns);
// Returns: that threads have fewer cores than the `cpus_seen` that they used; empty where they have
// as many.
std::vector<sim::Assumption> threads_assumption(const platform::Placement& placement, int cpus_seen);

} // namespace farcast::report
