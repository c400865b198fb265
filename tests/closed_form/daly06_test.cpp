// Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 22,
// 2006; Young, CACM 17, 1974. Values with more digits than fit in a head: 30 digits of Python's
// decimal.
#include "tests/closed_form/figures.h"

#include "predictor/model/checkpoints.h"
#include "predictor/model/failures.h"
#include "tests/unit/fit/synthetic.h"

#include <limits>

namespace daly06_test {

using namespace farcast;
using namespace closed_form;

namespace {

constexpr double kMinute = 60, kHour = 3600;

base::Seconds s(double value) { return base::Seconds(value); }
base::Hertz every(double seconds) { return base::Hertz(1 / seconds); }

model::ExpectedRun run(double solve, double interval, double writing, double restart, base::Hertz failures) {
  return model::expected_run(s(solve), {s(interval), s(writing), s(restart)}, failures).value();
}

// The interval with the least time, by golden section: the time has one minimum.
double best_interval(double writing, double between) {
  double low = 1e-6 * between, high = 3 * between;
  const auto time = [&](double interval) { return run(100 * between, interval, writing, 0, every(between)).time.value(); };
  for (int i = 0; i < 200; ++i) {
    const double left = low + 0.381966 * (high - low), right = low + 0.618034 * (high - low);
    (time(left) < time(right) ? high : low) = time(left) < time(right) ? right : left;
  }
  return low;
}

} // namespace

TEST_CASE("Daly06 figures 3 to 5: the best interval is 117, 57 and 9.1 minutes") {
  const auto minutes = [](double between) { return model::daly_interval(s(5 * kMinute), every(between)).value() / kMinute; };
  CHECK(rounds_to(minutes(24 * kHour), 117, 1));
  CHECK(rounds_to(minutes(6 * kHour), 57, 1));
  CHECK(rounds_to(minutes(15 * kMinute), 9.1, 0.1));
  CHECK(minutes(24 * kHour) == by_hand(116.6898148148148)); // 120 (1 + sqrt(5/2880)/3 + 5/2880/9) - 5
}

TEST_CASE("Young74 and Daly06: intervals by hand") {
  CHECK(model::young_interval(s(300), every(86400)).value() == by_hand(7200));
  CHECK(model::young_interval(s(2), every(100)).value() == by_hand(20));
  CHECK(model::daly_interval(s(2), every(100)).value() == by_hand(18.688888888888889)); // 20 (1 + 0.1/3 + 0.01/9) - 2
  CHECK(model::daly_interval(s(195), every(100)).value() == by_hand(88.878295710957445));
  CHECK(model::daly_interval(s(200), every(100)).value() == by_hand(100)); // delta >= 2 M: M
  CHECK(model::daly_interval(s(500), every(100)).value() == by_hand(100));
  CHECK(std::isinf(model::daly_interval(s(2), base::Hertz(0)).value()));
  CHECK(std::isinf(model::young_interval(s(0), base::Hertz(0)).value()));
  CHECK(model::young_interval(s(0), every(100)).value() == 0.0);
}

TEST_CASE("Daly06: how near the least expected time both estimates come") {
  constexpr double kBetween = 1000;
  for (const double ratio : {1e-3, 0.01, 0.1, 0.5, 1.0, 1.9, 2.0, 3.0}) {
    CAPTURE(ratio);
    const double writing = ratio * kBetween;
    const auto time = [&](double interval) { return run(100 * kBetween, interval, writing, 0, every(kBetween)).time.value(); };
    const double least = time(best_interval(writing, kBetween));
    CHECK(time(model::daly_interval(s(writing), every(kBetween)).value()) <= 1.002 * least);
    const double young = time(model::young_interval(s(writing), every(kBetween)).value()) / least - 1;
    if (ratio <= 0.1) CHECK(young <= 0.005);
    if (ratio == 2.0) CHECK(young == Approx(0.406).epsilon(0.01));
  }
}

TEST_CASE("Daly06: the expected time with checkpoints, by hand") {
  // M = 100, tau = 18, delta = 2, R = 5, T_s = 180: 100 e^0.05 (e^0.2 - 1) 10
  const auto one = run(180, 18, 2, 5, every(100));
  CHECK(one.time.value() == by_hand(232.75432031171744));
  // Its parts: 10 e^0.02 100 (e^0.18 - 1), 10 * 100 (e^0.02 - 1), 10 (e^0.2 - 1) 100 (e^0.05 - 1)
  CHECK(one.computing.value() == by_hand(201.20141813341402));
  CHECK(one.writing.value() == by_hand(20.201340026755810));
  CHECK(one.restarting.value() == by_hand(11.351562151547610));
  CHECK((one.computing + one.writing + one.restarting).value() == by_hand(one.time.value()));
  CHECK(one.failures == by_hand(2.3275432031171744)); // as many as the time holds at their rate
  // 100, 150 and 50 W in the three
  const model::CheckpointPower power{base::Watts(100), base::Watts(150), base::Watts(50)};
  CHECK(model::expected_energy(one, power).value() == by_hand(23717.920924932154));
}

TEST_CASE("without failures a run takes its computation and its checkpoints") {
  const auto none = run(180, 18, 2, 5, base::Hertz(0));
  CHECK(none.time.value() == by_hand(200));
  CHECK(none.restarting.value() == 0.0);
  CHECK(none.failures == 0.0);
  CHECK(run(180, std::numeric_limits<double>::infinity(), 2, 5, base::Hertz(0)).time.value() == by_hand(182)); // one at its end
  CHECK(run(180, 18, 2, 5, every(1e12)).time.value() == Approx(200));
  CHECK(run(0, 18, 2, 5, every(100)).time.value() == 0.0);
}

TEST_CASE("without checkpoints a run begins anew after each failure") {
  const auto whole = model::expected_run(s(200), s(5), every(100));
  REQUIRE(whole);
  CHECK(whole->time.value() == by_hand(671.66300099307478)); // 100 e^0.05 (e^2 - 1)
  CHECK(whole->writing.value() == 0.0);
  CHECK(model::success_odds(every(100), s(200)) == by_hand(0.13533528323661270)); // e^-2: it gets through at once
  CHECK(run(200, 1e9, 0, 5, every(100)).time.value() == by_hand(whole->time.value()));
}

TEST_CASE("failures of many nodes") {
  const base::Hertz node(1e-8);
  CHECK(model::failure_rate(node, 1000).value() == by_hand(1e-5));
  CHECK(model::mean_time_between(model::failure_rate(node, 1000)).value() == by_hand(1e5));
  CHECK(model::success_odds(model::failure_rate(node, 1000), s(1e5)) == by_hand(0.36787944117144233));
  CHECK(model::success_odds(base::Hertz(0), s(1e300)) == 1.0);
}

TEST_CASE("runs played failure by failure take the expected times") {
  constexpr double kBetween = 100, kInterval = 30, kWriting = 10, kRestart = 20;
  constexpr int kParts = 4, kRuns = 40000;
  synthetic::Random random(2006);
  double computing = 0, writing = 0, restarting = 0, failures = 0;
  const auto next_failure = [&] { return -kBetween * std::log(1.0 - random.uniform(0, 1)); };
  for (int i = 0; i < kRuns * kParts; ++i)
    for (bool done = false; !done;) {
      const double failure = next_failure();
      computing += std::min(failure, kInterval);
      writing += std::min(std::max(0.0, failure - kInterval), kWriting);
      done = failure >= kInterval + kWriting;
      for (bool back = done; !back;) { // a restart may fail as well
        ++failures;
        const double again = next_failure();
        restarting += std::min(again, kRestart);
        back = again >= kRestart;
      }
    }
  const auto expected = run(kParts * kInterval, kInterval, kWriting, kRestart, every(kBetween));
  CHECK(computing / kRuns == Approx(expected.computing.value()).epsilon(0.02));
  CHECK(writing / kRuns == Approx(expected.writing.value()).epsilon(0.02));
  CHECK(restarting / kRuns == Approx(expected.restarting.value()).epsilon(0.02));
  CHECK(failures / kRuns == Approx(expected.failures).epsilon(0.02));
}

TEST_CASE("checkpoints that cannot work are refused") {
  const auto error = [](double solve, double interval, double writing, double restart, base::Hertz failures) {
    const auto found = model::expected_run(s(solve), {s(interval), s(writing), s(restart)}, failures);
    return found ? std::string() : found.error().message;
  };
  CHECK(error(1e6, 1e6, 0, 0, every(1000)) ==
        "a run with 1e+06 s between checkpoints never ends where failures come every 1000 s");
  CHECK(error(10, 0, 1, 1, every(100)) == "run with checkpoints: the interval is 0, expected more than 0");
  CHECK(error(10, 1, -1, 1, every(100)) == "run with checkpoints: writing a checkpoint is -1, expected at least 0");
  CHECK(error(10, 1, 1, 1, base::Hertz(-1)) == "run with checkpoints: the failure rate is -1, expected at least 0");
}

} // namespace daly06_test
