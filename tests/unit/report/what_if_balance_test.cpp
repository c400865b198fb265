#include "predictor/report/what_if_balance.h"

#include <catch2/catch.hpp>

namespace what_if_balance_test {

using namespace farcast;
using namespace farcast::report;

namespace {

PointOutcome point(int ppn, double part, double seconds, double joules) {
  PointOutcome out;
  out.point.platform = "p.xml";
  out.point.ranks_per_node = ppn;
  out.point.balance = part;
  out.figures = PointFigures{base::Seconds(seconds), base::Joules(joules), 2, true};
  out.balance.computation_gain = 2;
  out.balance.kinds = {{"fast0", "fast1", 2, 4, 3.0, 0.5, 0.5 + 0.25 * part},
                       {"slow0", "slow0", 1, 4, 1.0, 0.5, 0.5 - 0.25 * part}};
  return out;
}

WhatIf sample() {
  WhatIf what;
  what.program = "./app";
  what.ranks = 8;
  what.balanced = true;
  what.points = {point(1, 0, 10, 300), point(1, 0.5, 8, 310), point(1, 1, 9, 320), point(2, 0, 20, 100), point(2, 1, 30, 90)};
  return what;
}

} // namespace

TEST_CASE("of points that differ in the division alone, the best for the goal") {
  WhatIf what = sample();
  CHECK(best_divisions(what, judge(what)) == std::vector<BestDivision>{{1, 0}, {3, 3}});
  what.goal = Goal::energy;
  CHECK(best_divisions(what, judge(what)) == std::vector<BestDivision>{{4, 3}, {0, 0}});
  what.points[0].figures.reset(); // interrupted: nothing to compare with
  CHECK(best_divisions(what, judge(what)) == std::vector<BestDivision>{{4, 3}});
  what.balanced = false;
  CHECK(best_divisions(what, judge(what)).empty());
}

TEST_CASE("the best division in words, and by kinds of hosts") {
  WhatIf what = sample();
  const std::string text = what_if_text(what, 40);
  CHECK_THAT(text, Catch::Contains("  ppn   balance     time") && Catch::Contains("  1        50 %  8.000 s") &&
                       Catch::Contains("  2    by speed  30.00 s") && Catch::Contains("  2    recorded  20.00 s"));
  CHECK_THAT(text, Catch::Contains("balance: computation divided 50 % of the way from as recorded to in"));
  CHECK_THAT(text, Catch::Contains("8.000 s instead of 10.00 s (1.25 times as fast)"));
  CHECK_THAT(text, Catch::Contains("hosts           nodes  ranks  speed  recorded     best  per rank") &&
                       Catch::Contains("fast0 .. fast1      2      4      3   50.00 %  62.50 %  15.62 %") &&
                       Catch::Contains("slow0               1      4      1   50.00 %  37.50 %  9.38 %"));
  CHECK_THAT(text, Catch::Contains("and of 1 more points"));
  what.payloads_divided = true;
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("balance: computation and point-to-point payloads divided"));
  what.points[1].point.balance = 1;
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("payloads divided in proportion to the hosts' speeds"));
  what.points.erase(what.points.begin() + 1, what.points.begin() + 3);
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("balance: the recorded division is the best one"));
  for (PointOutcome& one : what.points) one.balance.kinds.pop_back();
  CHECK_THAT(what_if_text(what, 40), Catch::Contains("all hosts are equally fast") && !Catch::Contains("per rank"));
}

TEST_CASE("CSV and JSON have the division of each point, and the best ones") {
  const WhatIf what = sample();
  CHECK_THAT(what_if_csv(what), Catch::Contains(",impossible,balance,"));
  CHECK_THAT(what_if_csv(what), Catch::Contains("\"p.xml\",1,,1,1,poll,none,\"\",8,310,38.75,2480,2,1,time,1,,0.5,"));
  const Json json = what_if_json(what);
  const Json& first = json.at("balance").at("divisions").at(0);
  CHECK(first.at("gain") == 1.25);
  CHECK(json.at("points").at(first.at("best_point").get<std::size_t>()).at("time_s") == 8.0);
  CHECK(json.at("points").at(first.at("recorded_point").get<std::size_t>()).at("time_s") == 10.0);
  CHECK(json.at("points")[0].at("balance").at("part") == 0.5);
  CHECK(json.at("points")[0].at("balance").at("hosts")[0].at("share") == 0.625);
}

} // namespace what_if_balance_test
