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
            if (!what.empty() && what != "computation" && what != "data" && what != "even")
              throw CLI::ValidationError("--balance",
                                         fmt::format("found {}, expected computation, data or even; run files stand before it",
                                                     platform::in_quotes(what)));
            payloads = what == "data";
            axes.even = what == "even";
            if (!axes.even) axes.balances = scenario::parts_to_play();
          },
          "divide the ranks' computation over unequal hosts, from as recorded to in proportion to their\nspeeds; data: their "
          "point-to-point payloads as well; even: so\nthat all ranks compute equally long (default: computation)")
      ->expected(0, 1)
      ->type_name("[computation|data|even]");
}

Divider::Divider(const scenario::Axes& axes, trace::Recording& recording) {
  if (!axes.balances.empty() || axes.even) computation_ = scenario::computation_of(recording);
}

void Divider::divide(scenario::Scenario& scenario, report::PointOutcome& outcome, bool payloads) const {
  if (computation_.empty()) return;
  const std::vector<double> speeds = scenario::speeds_of(*scenario.where, scenario.options);
  if (outcome.point.even) {
    scenario.division = {scenario::even_factors(computation_, speeds), false};
    return;
  }
  scenario.division = {scenario::factors_of(computation_, speeds, outcome.point.balance), payloads};
  outcome.balance = scenario::balance_of(*scenario.where, speeds, computation_, scenario.division.computation);
}

} // namespace farcast::cli
