// What dividing a run's work over unequal hosts comes to: of points that differ in the division
// alone, the best one against the run as it was recorded.
//
// WhatIf -> a paragraph and a table of host kinds, and JSON. Pure functions.
#pragma once

#include "predictor/report/what_if.h"

#include <cstddef>
#include <string>
#include <vector>

namespace farcast::report {

struct BestDivision { // indices of WhatIf::points
  std::size_t best = 0;
  std::size_t recorded = 0;

  bool operator==(const BestDivision&) const = default;
};
// Returns: for each set of points that differ in the division alone, those whose recorded division
// was played, the best for the goal; in the order of the best. Without `--balance` none.
std::vector<BestDivision> best_divisions(const WhatIf& what, const Judgement& judged);

// Returns: "recorded", "by speed", or the part of the way as "50 %".
std::string division_name(double part);
void append_balance(std::string& out, const WhatIf& what, const Judgement& judged);
Json hosts_json(const scenario::Balance& balance); // of a point
// Points are named by their places in the list of points.
Json balance_json(const WhatIf& what, const Judgement& judged);

} // namespace farcast::report
