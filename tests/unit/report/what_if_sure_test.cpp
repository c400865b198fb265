// How sure the points of a what-if are, and what is told apart.
#include "predictor/report/what_if_sure.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace farcast;
using namespace farcast::report;

namespace {

constexpr int kMembers = 39; // the 2nd and the 38th are the ends of the interval

// Members that all points share, and how far this one's logarithm scatters beside them, evenly.
PointOutcome point(double bandwidth, double seconds, double scatter) {
  PointOutcome out;
  out.point.platform = "p.xml";
  out.point.bandwidth = bandwidth;
  out.figures = PointFigures{base::Seconds(seconds), base::Joules(100 * seconds), 2, true};
  for (int i = 0; i < kMembers; ++i) {
    const double shared = i % 3 == 0 ? 0.5 : 3.0;
    out.figures->members.time_s.push_back(seconds * shared * std::exp(scatter * (i - 19) / 18));
    out.figures->members.energy_j.push_back(100 * out.figures->members.time_s.back());
  }
  return out;
}

WhatIf sample(double scatter) {
  WhatIf what;
  what.program = "./app";
  what.ranks = 8;
  what.points = {point(0.5, 12, 0), point(1, 10, 0), point(2, 9.8, scatter)};
  return what;
}

} // namespace

TEST_CASE("the base is the point of the usual values, else of the first ones, that can be played") {
  WhatIf what = sample(0.01);
  CHECK(base_point(what) == 1);
  what.points[1].impossible = "too few cores";
  CHECK(base_point(what) == 0);
  what.points.clear();
  CHECK_FALSE(base_point(what));
}

TEST_CASE("what both points have is in no difference, and the best is told apart where its own draws do not reach the next") {
  const WhatIf apart = sample(0.01), alike = sample(0.05);
  const auto difference = difference_of(*apart.points[2].figures, *apart.points[1].figures, Goal::time);
  REQUIRE((difference && difference->ninety));
  CHECK(difference->value == Approx(-0.2));
  CHECK(difference->ninety->low == Approx(9.8 * std::exp(-0.01) - 10));
  CHECK(difference->ninety->high == Approx(9.8 * std::exp(0.01) - 10));
  CHECK(difference->told_apart());
  CHECK(judge(apart).like_best == std::vector<bool>{false, false, false});
  CHECK(judge(alike).like_best == std::vector<bool>{false, true, false});
  CHECK_THAT(what_if_text(apart, 40),
             Catch::Contains("the best in time is told apart from the next, which takes more by 2.0 % (1.0 to 3.1 %)"));
  CHECK_THAT(what_if_text(apart, 40), Catch::Contains("-2.0% (-3.0..-1.0)"));
  const std::string text = what_if_text(alike, 40);
  CHECK_THAT(text, Catch::Contains("time vs base") && Catch::Contains("-2.0% (-6.8..+3.0)") &&
                       Catch::Contains("+20.0% (+20.0..+20.0)"));
  CHECK_THAT(text, Catch::Contains("~ NOT told apart from the best in time (1 of them)"));
  CHECK_THAT(text, Catch::Contains("  ~\n"));
}

TEST_CASE("energy is compared with watts as exact, and has an interval of its own where they are known") {
  WhatIf what = sample(0.01);
  what.goal = Goal::energy;
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("energy vs base") && Catch::Contains("watts are taken as exact"));
  Json json = what_if_json(what);
  CHECK(json["points"][0]["ninety"]["energy_j"].is_null());
  CHECK(json["points"][0]["from_base"]["value"].get<double>() == Approx(-20));
  for (PointOutcome& one : what.points) one.figures->members.watts_known = true;
  json = what_if_json(what);
  CHECK(json["points"][0]["ninety"]["energy_j"][0].get<double>() < 980);
  CHECK_THAT(what_if_text(what, 40), !Catch::Contains("watts are taken as exact"));
}

TEST_CASE("files have the intervals, and none where nobody knows them") {
  WhatIf what = sample(0.01);
  Json json = what_if_json(what);
  CHECK(json["intervals"] == Json{{"members", kMembers}, {"points", 3}, {"base_point", 1}, {"best_told_apart", true}});
  CHECK(json["points"][0]["from_base"]["told_apart"] == true);
  CHECK(json["points"][1]["from_best"]["ninety"][1].get<double>() == Approx(10 * std::exp(0.01) - 9.8));
  CHECK_THAT(what_if_csv(what), Catch::Contains(",time_low_s,time_high_s,energy_low_j,energy_high_j,from_base,from_base_low,"
                                                "from_base_high,from_best,from_best_low,from_best_high\n"));
  what.points[0].figures->members = {}; // too dear: the best alone have them
  json = what_if_json(what);
  CHECK(json["intervals"]["points"] == 2);
  CHECK(json["points"][2]["from_base"]["ninety"].is_null());
  const std::string text = what_if_text(what, 40);
  CHECK_THAT(text, Catch::Contains("of 2 of 3 points alone") && Catch::Contains("+20.0%"));
  for (PointOutcome& one : what.points) one.figures->members = {};
  CHECK_THAT(what_if_text(what, 40), !Catch::Contains("base"));
  CHECK(what_if_json(what)["intervals"]["best_told_apart"].is_null());
}

TEST_CASE("a sweep that was interrupted before its members were played says so") {
  WhatIf what = sample(0.01);
  what.lacks_members = true;
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("INTERRUPTED: how sure the points are was not finished"));
}
