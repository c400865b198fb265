#include "predictor/report/what_if_failures.h"

#include "predictor/base/format.h"
#include "predictor/model/checkpoints.h"
#include "predictor/model/energy_delay.h"
#include "predictor/model/failures.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace farcast::report {

namespace {

constexpr base::Seconds kForever{std::numeric_limits<double>::infinity()};

bool ends(const ExpectedFigures& figures) { return std::isfinite(figures.time.value()); }

base::JouleSeconds delay_of(const ExpectedFigures& figures) { return model::energy_delay(*figures.energy, figures.time); }

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

// Odds that are not certain do not read so.
std::string odds_text(double success) {
  constexpr double kAlmost = 0.999999;
  return success > kAlmost && success < 1.0 ? "> 99.9999 %" : fmt::format("{:.6g} %", 100 * success);
}

} // namespace

ExpectedFigures expected_figures(base::Seconds time, std::optional<base::Joules> energy, const scenario::UsedNodes& nodes,
                                 const Checkpointing& asked) {
  ExpectedFigures out;
  out.failures = nodes.failures;
  out.success = model::success_odds(nodes.failures, time);
  out.best_interval = model::daly_interval(asked.writing, nodes.failures);
  const auto run =
      model::expected_run(time, {asked.interval.value_or(out.best_interval), asked.writing, asked.restart}, nodes.failures);
  out.time = run ? run->time : kForever;
  if (energy && nodes.idle) {
    const base::Watts computing = time > base::Seconds(0) ? *energy / time : base::Watts(0);
    out.energy = run ? model::expected_energy(*run, {computing, *nodes.idle, *nodes.idle}) : base::Joules(kForever.value());
  }
  const auto without = model::expected_run(time, asked.restart, nodes.failures);
  out.time_without = without ? without->time : kForever;
  return out;
}

std::vector<std::string> expected_columns() { return {"success", "best interval", "exp. time", "exp. energy", "exp. EDP"}; }

std::vector<std::string> expected_cells(const ExpectedFigures& figures) {
  std::vector<std::string> out{odds_text(figures.success),
                               std::isfinite(figures.best_interval.value()) ? base::format_time(figures.best_interval) : "none"};
  if (!ends(figures)) {
    out.insert(out.end(), {"never ends", "-", "-"});
    return out;
  }
  out.push_back(base::format_time(figures.time));
  out.push_back(figures.energy ? base::format_energy(*figures.energy) : "unavailable");
  out.push_back(figures.energy ? base::format_energy_delay(delay_of(figures).value()) : "-");
  return out;
}

std::string expected_legend(const Checkpointing& asked) {
  const std::string rate = asked.node_failures
                               ? fmt::format("each node fails {:g} times per second", asked.node_failures->value())
                               : "nodes fail as often as their platform says";
  const std::string interval =
      asked.interval ? fmt::format("each {} of computation", base::format_time(*asked.interval)) : "at Daly's best interval";
  return fmt::format(
      "success: the odds that no node fails during the run; exp.: the means over its courses with a checkpoint {} "
      "and one at the end, {} to write one, {} to restart after a failure, where {}; a run shorter than the interval has the one "
      "at the end; EDP is the product of both "
      "means. Nodes that write or restart draw what they do with no core active; otherwise the run's average power.",
      interval, base::format_time(asked.writing), base::format_time(asked.restart), rate);
}

std::string unpaid_sentence(std::size_t points, std::size_t of) {
  return fmt::format(
      "checkpoints do not pay at {} of {} points: without them the mean time is shorter (--csv FILE or --json FILE "
      "has it)",
      points, of);
}

std::string expected_csv_columns() {
  return ",failures_per_s,success,best_interval_s,expected_time_s,expected_energy_j,expected_edp_js,expected_time_without_s";
}

std::string expected_csv_cells(const ExpectedFigures* figures) {
  if (figures == nullptr) return ",,,,,,,";
  return fmt::format(",{},{},{},{},{},{},{}", figures->failures.value(), figures->success, number(figures->best_interval.value()),
                     number(figures->time.value()), figures->energy ? number(figures->energy->value()) : "",
                     figures->energy ? number(delay_of(*figures).value()) : "", number(figures->time_without.value()));
}

Json expected_json(const ExpectedFigures& figures) {
  return Json{{"failures_per_s", figures.failures.value()},
              {"success", figures.success},
              {"best_interval_s", figures.best_interval.value()}, // what is not finite becomes null
              {"expected_time_s", figures.time.value()},
              {"expected_energy_j", figures.energy ? Json(figures.energy->value()) : Json()},
              {"expected_edp_js", figures.energy ? Json(delay_of(figures).value()) : Json()},
              {"expected_time_without_s", figures.time_without.value()}};
}

Json checkpointing_json(const Checkpointing& asked) {
  return Json{{"writing_s", asked.writing.value()},
              {"restart_s", asked.restart.value()},
              {"interval_s", asked.interval ? Json(asked.interval->value()) : Json()},
              {"node_failures_per_s", asked.node_failures ? Json(asked.node_failures->value()) : Json()}};
}

} // namespace farcast::report
