// Who waits for what where a program cannot go on, for people who wait for its end.
#pragma once

#include "predictor/sim/prediction.h"
#include "predictor/trace/sites.h"

#include <string>

namespace farcast::report {

// Returns: a line that says so, and one for each rank with its call site and what it waits for;
// empty where the program came to its end. `sites`: of the prediction's numbers.
std::string blocked_lines(const sim::Prediction& prediction, const trace::SiteTable& sites);

} // namespace farcast::report
