// Failures of nodes that come at a constant rate, and the odds that a run meets none.
//
//   s(t, P) = exp(-lambda t P)     Proficz16 Table 1, P nodes
// The paper gives lambda no unit (5.03372e-10 for Galera+). We read it per second and node: a node
// then fails once in 63 years, a cluster of 192 about every 120 days; Sequoia's 1.25 failures per
// day (section 1), on its 98304 nodes, are 1.5e-10. Per microsecond, the unit of Table 3's times, a
// node would fail every 33 minutes. Threads: pure functions.
#pragma once

#include "predictor/base/units.h"

#include <cmath>

namespace farcast::model {

// Of all nodes together: any one's failure ends the run. Requires: per_node >= 0, nodes >= 0.
constexpr base::Hertz failure_rate(base::Hertz per_node, double nodes) { return nodes * per_node; }

// Returns: infinite at rate 0.
constexpr base::Seconds mean_time_between(base::Hertz failures) { return base::Seconds(1.0 / failures.value()); }

// That a run without checkpoints gets through. `failures`: of all its nodes. Requires: neither
// negative.
inline double success_odds(base::Hertz failures, base::Seconds time) { return std::exp(-(failures * time)); }

} // namespace farcast::model
