#include "predictor/report/what_if.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace what_if_failures_test {

using namespace farcast;
using namespace farcast::report;

namespace {

using base::Joules;
using base::Seconds;

// 10 h at 1 kW on nodes that draw 400 W when idle and fail, together, every 5 h.
const scenario::UsedNodes kNodes{base::Hertz(1 / 18000.0), base::Watts(400)};
const Checkpointing kAsked{Seconds(60), Seconds(120), std::nullopt, std::nullopt};

WhatIf sample() {
  WhatIf what;
  what.program = "./app";
  what.ranks = 8;
  what.checkpointing = kAsked;
  // The faster run is on four times the nodes, which fail four times as often.
  for (const double nodes : {4.0, 1.0}) {
    PointOutcome& one = what.points.emplace_back();
    one.point.platform = "p.xml";
    one.point.ranks_per_node = static_cast<int>(8 / nodes);
    PointFigures figures{Seconds(36000 * (nodes == 4 ? 0.97 : 1.0)), Joules(36e6), static_cast<int>(nodes), true};
    figures.expected =
        expected_figures(figures.time, figures.energy, {base::Hertz(nodes / 18000), base::Watts(nodes * 400)}, kAsked);
    one.figures = figures;
  }
  return what;
}

} // namespace

// With 30 digits of Python's decimal: tau = sqrt(2 delta M) (1 + sqrt(x) / 3 + x / 9) - delta with x
// = delta / 2M = 1 / 600; Daly06's complete time, and its parts.
TEST_CASE("expected figures by hand") {
  const ExpectedFigures figures = expected_figures(Seconds(36000), Joules(36e6), kNodes, kAsked);
  CHECK(figures.success == Approx(std::exp(-2.0)).epsilon(1e-14));
  CHECK(figures.best_interval.value() == Approx(1429.966011196882767).epsilon(1e-12));
  CHECK(figures.time.value() == Approx(39368.32898011513427).epsilon(1e-12));
  CHECK(figures.energy->value() == Approx(38303551.95759445471).epsilon(1e-12));
  CHECK(figures.time_without.value() == Approx(115772.2578237018338).epsilon(1e-12));
}

TEST_CASE("an interval that is given takes longer than the best one") {
  Checkpointing asked = kAsked;
  const double best = expected_figures(Seconds(36000), std::nullopt, kNodes, asked).time.value();
  for (const double interval : {300.0, 6000.0}) {
    asked.interval = Seconds(interval);
    const ExpectedFigures figures = expected_figures(Seconds(36000), std::nullopt, kNodes, asked);
    CHECK(figures.time.value() > best);
    CHECK(figures.best_interval.value() == Approx(1429.966011196882767).epsilon(1e-12));
    CHECK_FALSE(figures.energy);
  }
}

TEST_CASE("nodes that never fail cost a run its last checkpoint") {
  const ExpectedFigures figures = expected_figures(Seconds(100), Joules(5000), {base::Hertz(0), base::Watts(7)}, kAsked);
  CHECK(figures.success == 1.0);
  CHECK(std::isinf(figures.best_interval.value()));
  CHECK(figures.time == Seconds(160));
  CHECK(figures.energy == Joules(5000 + 7 * 60));
  CHECK(figures.time_without == Seconds(100));
  CHECK(expected_json(figures).at("best_interval_s").get<double>() == figures.best_interval.value());
  CHECK(to_text(expected_json(figures)).find("\"best_interval_s\":null") != std::string::npos);
  CHECK(expected_csv_cells(&figures) == ",0,1,,160,5420,867200,100");
}

TEST_CASE("odds that are not certain do not read so") {
  const auto odds = [](double rate) {
    return expected_cells(expected_figures(Seconds(1), std::nullopt, {base::Hertz(rate), std::nullopt}, kAsked)).front();
  };
  CHECK(odds(0) == "100 %");
  CHECK(odds(1e-9) == "> 99.9999 %");
  CHECK(odds(1e-5) == "99.999 %");
}

TEST_CASE("a run that never ends says so") {
  Checkpointing asked = kAsked;
  asked.interval = Seconds(1e9);
  const ExpectedFigures figures = expected_figures(Seconds(1e8), Joules(1), kNodes, asked);
  CHECK(expected_cells(figures) == std::vector<std::string>{"0 %", "1430 s", "never ends", "-", "-"});
  CHECK(expected_csv_cells(&figures).ends_with(",,,,"));
}

TEST_CASE("points are compared by their expected figures") {
  WhatIf what = sample();
  Judgement judged = judge(what);
  CHECK(judged.best_time == 1);
  CHECK(judged.best_energy == 1);
  CHECK(judged.order == std::vector<std::size_t>{1, 0});
  CHECK(judged.front == std::vector<bool>{false, true});
  for (PointOutcome& one : what.points) one.figures->expected.reset();
  what.checkpointing.reset();
  CHECK(judge(what).best_time == 0);
}

TEST_CASE("the table, CSV and JSON with failures") {
  const WhatIf what = sample();
  const std::string text = what_if_text(what, 40);
  CHECK_THAT(text, Catch::Contains("ppn     time    energy  nodes      success  best interval  exp. time  exp. energy") &&
                       Catch::Contains("8    36000 s  36.00 MJ      1    13.5335 %         1430 s    39368 s     38.30 MJ") &&
                       Catch::Contains("expected time and in expected energy") && Catch::Contains("60.00 s to write one"));
  CHECK_THAT(text, !Catch::Contains("do not pay")); // 10 h and more between failures that come every 5 h
  WhatIf quick = what;
  quick.points[1].figures->expected = expected_figures(Seconds(100), Joules(5000), kNodes, kAsked);
  CHECK_THAT(what_if_text(quick, 40), Catch::Contains("checkpoints do not pay at 1 of 2 points"));
  const std::string csv = what_if_csv(what);
  CHECK_THAT(csv, Catch::Contains("impossible,failures_per_s,success,best_interval_s,expected_time_s,"));
  const Json json = what_if_json(what);
  CHECK(json.at("checkpoints").at("writing_s") == 60.0);
  CHECK(json.at("points")[0].at("failures").at("expected_time_s") == what.points[1].figures->expected->time.value());
  WhatIf plain = what;
  plain.checkpointing.reset();
  for (PointOutcome& one : plain.points) one.figures->expected.reset();
  CHECK_THAT(what_if_csv(plain), !Catch::Contains("failures_per_s"));
  CHECK_FALSE(what_if_json(plain).contains("checkpoints"));
}

} // namespace what_if_failures_test
