#include "predictor/cli/whatif_balance.h"

#include "predictor/platform/quantity_text.h"

#include <fmt/format.h>
#include <string>

namespace farcast::cli {

void add_balance(CLI::App& command, scenario::Axes& axes, bool& payloads) {
  command
      .add_option_function<std::string>(
          "--balance",
          [&axes, &payloads](const std::string& what) {
            if (!what.empty() && what != "computation" && what != "data")
              throw CLI::ValidationError(
                  "--balance",
                  fmt::format("found {}, expected computation or data; run files stand before it", platform::in_quotes(what)));
            payloads = what == "data";
            axes.balances = scenario::parts_to_play();
          },
          "divide the ranks' computation over unequal hosts, from as recorded to in proportion to their\nspeeds; data: their "
          "point-to-point payloads as well (default: computation)")
      ->expected(0, 1)
      ->type_name("[computation|data]");
}

Divider::Divider(const scenario::Axes& axes, trace::Recording& recording) {
  if (!axes.balances.empty()) computation_ = scenario::computation_of(recording);
}

void Divider::divide(scenario::Scenario& scenario, report::PointOutcome& outcome, bool payloads) const {
  if (computation_.empty()) return;
  const std::vector<double> speeds = scenario::speeds_of(*scenario.where, scenario.options);
  scenario.division = {scenario::factors_of(computation_, speeds, outcome.point.balance), payloads};
  outcome.balance = scenario::balance_of(*scenario.where, speeds, computation_, scenario.division.computation);
}

} // namespace farcast::cli
