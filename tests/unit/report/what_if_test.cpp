#include "predictor/report/what_if.h"

#include <catch2/catch.hpp>

namespace what_if_test {

using namespace farcast;
using namespace farcast::report;

namespace {

PointOutcome point(int ppn, double ghz, double seconds, std::optional<double> joules) {
  PointOutcome out;
  out.point = {"p.xml", ppn, base::Hertz(ghz * 1e9), 1.0, 1.0};
  out.figures = PointFigures{base::Seconds(seconds), {}, 2, true};
  if (joules) out.figures->energy = base::Joules(*joules);
  return out;
}

WhatIf sample() {
  WhatIf what;
  what.program = "./app";
  what.ranks = 8;
  what.points = {point(1, 2, 10, 300), point(1, 1, 20, 200), point(2, 2, 12, 210), point(2, 1, 25, 220)};
  return what;
}

} // namespace

TEST_CASE("the best of each kind, the front, and the order of the goal") {
  WhatIf what = sample();
  Judgement judged = judge(what);
  CHECK(judged.best_time == 0);
  CHECK(judged.best_energy == 1);
  CHECK(judged.best_edp == 2); // 2520 J s; the others 3000, 4000, 5500
  CHECK(judged.front == std::vector<bool>{true, true, true, false});
  CHECK(judged.order == std::vector<std::size_t>{0, 2, 1, 3});
  CHECK(judged.varying == std::vector<std::string>{"ppn", "frequency"});
  CHECK(judged.no_effect.empty());
  what.goal = Goal::energy;
  CHECK(judge(what).order == std::vector<std::size_t>{1, 2, 3, 0});
  what.goal = Goal::edp;
  CHECK(judge(what).order == std::vector<std::size_t>{2, 0, 1, 3});
}

TEST_CASE("points without energy come last where energy is sought, and are on no front") {
  WhatIf what = sample();
  what.points[1].figures->energy.reset();
  what.goal = Goal::energy;
  const Judgement judged = judge(what);
  CHECK(judged.order.back() == 1);
  CHECK(judged.best_energy == 2);
  CHECK_FALSE(judged.front[1]);
  for (PointOutcome& one : what.points) one.figures->energy.reset();
  CHECK_FALSE(judge(what).best_energy);
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("unavailable"));
  CHECK_THAT(what_if_csv(what), Catch::Contains("\"p.xml\",1,2,1,1,poll,none,\"\",10,,,,2,1,time,0,,,,,,,,,,,\n"));
}

TEST_CASE("an axis that changes nothing is named") {
  WhatIf what = sample();
  what.points[1] = point(1, 1, 10, 300);
  what.points[3] = point(2, 1, 12, 210);
  const Judgement judged = judge(what);
  CHECK(judged.no_effect == std::vector<std::string>{"frequency"});
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("no effect: frequency (points that differ in it alone take the same"));
  CHECK(judged.front == std::vector<bool>{true, true, true, true}); // equals of the front are on it
}

TEST_CASE("the table") {
  WhatIf what = sample();
  PointOutcome& impossible = what.points.emplace_back();
  impossible.point = {"p.xml", 9, base::Hertz(2e9), 1.0, 1.0};
  impossible.impossible = "too few cores";
  CHECK(what_if_text(what, 40) == "farcast: what if: ./app, 8 ranks\n"
                                  "\n"
                                  "  ppn  frequency     time   energy  avg. power         EDP  nodes  best\n"
                                  "  1        2 GHz  10.00 s  300.0 J     30.00 W  3.000 kJ s      2  * time\n"
                                  "  2        2 GHz  12.00 s  210.0 J     17.50 W  2.520 kJ s      2  * EDP\n"
                                  "  1        1 GHz  20.00 s  200.0 J     10.00 W  4.000 kJ s      2  * energy\n"
                                  "  2        1 GHz  25.00 s  220.0 J     8.800 W  5.500 kJ s      2\n"
                                  "\n"
                                  "  * no other point is at least as good in time and in energy, and better in one of them\n"
                                  "  ppn 1, frequency 2 GHz is best in time: against ppn 1, frequency 1 GHz, best in energy, it\n"
                                  "  takes 0.5 times as long and 1.5 times the energy\n"
                                  "  impossible: ppn 9, frequency 2 GHz: too few cores\n");
}

TEST_CASE("a short table still has the best of each kind, and says what it leaves out") {
  const std::string text = what_if_text(sample(), 1);
  for (const char* best : {"* time", "* EDP", "* energy"}) CHECK_THAT(text, Catch::Contains(best));
  CHECK_THAT(text, Catch::Contains("and 1 points more, no better in time"));
  CHECK_THAT(text, !Catch::Contains("25.00 s"));
}

TEST_CASE("points that were not played are told, and are in no file") {
  WhatIf what = sample();
  CHECK_FALSE(what.interrupted());
  what.points[3].figures.reset();
  CHECK(what.interrupted());
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("INTERRUPTED: 1 of 4 points"));
  const Json json = what_if_json(what);
  CHECK(json["interrupted"] == true);
  CHECK(json["points"].size() == 3);
}

TEST_CASE("files have every figure with all its digits") {
  WhatIf what = sample();
  what.points[0].figures->time = base::Seconds(1.0 / 3);
  const Json json = what_if_json(what);
  CHECK(json["schema"] == "farcast-whatif/1");
  CHECK(json["goal"] == "time");
  CHECK(json["points"][0]["time_s"] == 1.0 / 3);
  CHECK(json["points"][0]["frequency_hz"] == 2e9);
  CHECK(json["points"][0]["best"] == Json::array({"time", "EDP"}));
  CHECK(json["points"][3]["front"] == false);
  CHECK_THAT(what_if_csv(what),
             Catch::Contains("\"p.xml\",1,2,1,1,poll,none,\"\",0.3333333333333333,300,900,100,2,1,time EDP,1,,,,,,0,,,0,,\n"));
}

TEST_CASE("a place of the program is an axis of its own") {
  WhatIf what = sample();
  what.sites = {"a.c:12"};
  for (std::size_t i = 0; i < what.points.size(); ++i) {
    what.points[i].point = {"p.xml", 0, {}, 1.0, 1.0};
    what.points[i].point.speedups = {1.0 + static_cast<double>(i)};
  }
  CHECK(judge(what).varying == std::vector<std::string>{"a.c:12"});
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("\n  x3      12.00 s"));
  CHECK_THAT(what_if_csv(what), Catch::Contains(",\"a.c:12=3\",12,"));
  CHECK(what_if_json(what)["points"][1]["speedups"]["a.c:12"] == 3.0);
}

TEST_CASE("energy of links counts where points are compared, and stands apart in CSV and JSON") {
  WhatIf what = sample();
  for (PointOutcome& one : what.points) one.figures->links = base::Joules(one.point.ranks_per_node == 2 ? 1.0 : 100.0);
  const Judgement judged = judge(what);
  CHECK(judged.best_energy == 2); // 211 J; without links the second, 200 J
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("energy, power and EDP: of nodes"));
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("211.0 J"));
  CHECK_THAT(what_if_csv(what), Catch::Contains(",impossible,links_energy_j,"));
  CHECK_THAT(what_if_csv(what), Catch::Contains(",12,210,17.5,2532,2,1,energy EDP,1,\"\",1,") ||
                                    Catch::Contains(",12,210,17.5,2532,2,1,energy EDP,1,,1,"));
  const Json best = what_if_json(what).at("points").at(1);
  CHECK(best.at("energy_j") == 210);
  CHECK(best.at("links_energy_j") == 1);
  CHECK(best.at("edp_js") == 2532);
}

TEST_CASE("a sentence says why the best point is the best") {
  WhatIf what = sample();
  for (PointOutcome& one : what.points) {
    one.figures->time_parts = {{"computing", one.figures->time.value()}};
    one.figures->energy_parts = {{"computing", one.figures->energy->value()}};
  }
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("ppn 1, frequency 2 GHz is best in time: against ppn 1, frequency 1 GHz"));
  what.goal = Goal::edp;
  CHECK(what_if_json(what)
            .at("why_best")
            .get<std::string>()
            .starts_with("ppn 2, frequency 2 GHz is best in EDP: against ppn 1, "
                         "frequency 2 GHz, best in time, it takes 1.2 times"));
  what.points.resize(1);
  CHECK(what_if_json(what).at("why_best") == "");
}

} // namespace what_if_test
