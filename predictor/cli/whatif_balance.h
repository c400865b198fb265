// The option of farcast whatif about dividing work over unequal hosts.
#pragma once

#include "predictor/report/what_if.h"
#include "predictor/scenario/balance.h"

#include <CLI/CLI.hpp>
#include <vector>

namespace farcast::cli {

// --balance: fills the axis, and whether payloads are divided as well.
void add_balance(CLI::App& command, scenario::Axes& axes, bool& payloads);

// Divides the work of points. The recording is read once, where any division is asked for.
class Divider {
public:
  Divider(const scenario::Axes& axes, trace::Recording& recording);
  // Puts the division of the point into its scenario, and the hosts' shares into what it came to.
  void divide(scenario::Scenario& scenario, report::PointOutcome& outcome, bool payloads) const;

private:
  std::vector<base::Seconds> computation_; // [rank]; empty: no division is asked for
};

} // namespace farcast::cli
