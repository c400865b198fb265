// How often the nodes that a run uses fail, and what they draw while they do not compute.
//
// A placed platform -> figures of its used nodes together. What follows for a run:
// model/failures.h, model/checkpoints.h. Pure function.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"
#include "predictor/scenario/scenario.h"

#include <optional>

namespace farcast::scenario {

struct UsedNodes {                 // all hosts that have a rank
  base::Hertz failures;            // of any of them
  std::optional<base::Watts> idle; // no core active; unset: some host has no power figures
};

// `node_failures`: of each node, in place of what the platform says (farcast:failure_rate).
// Errors: a used host has no rate.
base::Result<UsedNodes> used_nodes(const PlacedPlatform& placed, std::optional<base::Hertz> node_failures);

} // namespace farcast::scenario
