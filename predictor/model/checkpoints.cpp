#include "predictor/model/checkpoints.h"

#include "predictor/model/failures.h"
#include "predictor/model/figures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace farcast::model {

namespace {

constexpr double kNeverEnds = 1e300;

// Time that `piece` takes when a failure sends it back to its start: M (e^(piece/M) - 1), and the
// piece itself without failures.
double with_repetitions(double piece, double rate) { return rate > 0.0 ? std::expm1(rate * piece) / rate : piece; }

} // namespace

base::Result<ExpectedRun> expected_run(base::Seconds solve, const Checkpoints& checkpoints, base::Hertz failures) {
  const double interval = checkpoints.interval.value(); // may be infinite
  const auto fine = Figures("run with checkpoints")
                        .at_least("its time", solve.value(), 0.0)
                        .positive("the interval", std::min(interval, 1.0))
                        .at_least("writing a checkpoint", checkpoints.writing.value(), 0.0)
                        .at_least("restarting", checkpoints.restart.value(), 0.0)
                        .at_least("the failure rate", failures.value(), 0.0)
                        .result();
  if (!fine) return tl::make_unexpected(fine.error());
  if (solve == base::Seconds(0.0)) return ExpectedRun{};
  const double rate = failures.value(), delta = checkpoints.writing.value();
  const double tau = std::min(interval, solve.value()), parts = solve.value() / tau;
  ExpectedRun run;
  run.computing = base::Seconds(parts * std::exp(rate * delta) * with_repetitions(tau, rate));
  run.writing = base::Seconds(parts * with_repetitions(delta, rate));
  run.restarting = base::Seconds(parts * std::expm1(rate * (tau + delta)) * with_repetitions(checkpoints.restart.value(), rate));
  run.time = run.computing + run.writing + run.restarting;
  run.failures = failures * run.time; // they come at this rate all the time
  if (!(run.time.value() < kNeverEnds))
    return base::fail(fmt::format("a run with {:g} s between checkpoints never ends where failures come every {:g} s", tau,
                                  mean_time_between(failures).value()));
  return run;
}

base::Result<ExpectedRun> expected_run(base::Seconds solve, base::Seconds restart, base::Hertz failures) {
  const base::Seconds whole = solve > base::Seconds(0.0) ? solve : base::Seconds(1.0);
  return expected_run(solve, Checkpoints{whole, base::Seconds(0.0), restart}, failures);
}

base::Seconds young_interval(base::Seconds writing, base::Hertz failures) {
  if (failures.value() == 0.0) return mean_time_between(failures);
  return base::Seconds(std::sqrt(2.0 * writing.value() * mean_time_between(failures).value()));
}

base::Seconds daly_interval(base::Seconds writing, base::Hertz failures) {
  const base::Seconds between = mean_time_between(failures);
  const double ratio = writing / (2.0 * between);
  if (ratio >= 1.0) return between;
  return young_interval(writing, failures) * (1.0 + std::sqrt(ratio) / 3.0 + ratio / 9.0) - writing;
}

base::Joules expected_energy(const ExpectedRun& run, const CheckpointPower& power) {
  return power.computing * run.computing + power.writing * run.writing + power.restarting * run.restarting;
}

} // namespace farcast::model
