// Power over time as CSV: one row for each change of what a node draws.
//
// Columns platform, realisation, node, time_s, watts: from time_s until the node's next row it draws
// so many watts. The last row of a node has no watts: it says when the prediction ends. A node
// without a name is the sum of all used nodes, and comes first. Rows of a node ascend in time.
// Realisation: the --seed that this history has; 0: nothing was left to chance.
#pragma once

#include "predictor/base/result.h"
#include "predictor/sim/power_series.h"

#include <string>
#include <vector>

namespace farcast::report {

// Errors: of the file. Requires: each has been concluded.
base::Result<void> write_power_series(const std::string& path, const std::vector<const sim::PowerSeries*>& series);

} // namespace farcast::report
