#include "predictor/report/what_if_stencil.h"

#include <catch2/catch.hpp>

namespace what_if_stencil_test {

using namespace farcast;
using namespace farcast::report;

namespace {

scenario::StencilPoint point(const std::string& name, double ghz, double seconds, double joules) {
  scenario::StencilPoint out;
  out.scenario = name;
  out.run = {base::Hertz(ghz * 1e9), 25, 16, base::Seconds(seconds), base::Joules(joules), base::JouleSeconds(joules * seconds)};
  out.iteration = {base::Seconds(1), base::Seconds(3), base::Seconds(4)};
  out.nodes = 3;
  return out;
}

WhatIfStencil sample() {
  WhatIfStencil what;
  what.name = "heat.json";
  what.program = {2, 100, 1000, 1.0};
  what.points = {point("real", 3, 10, 400), point("real", 2, 11, 300), point("real", 1, 20, 290),
                 point("VM \"per\" core", 3, 12, 410), point("VM \"per\" core", 1, 30, 500)};
  return what;
}

} // namespace

TEST_CASE("the best of each kind, and the front, are those of a scenario") {
  WhatIfStencil what = sample();
  what.goal = Goal::energy;
  const std::vector<StencilRow> rows = stencil_rows(what);
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].point == &what.points[2]);
  CHECK(rows[0].best == std::vector<std::string>{"energy"});
  CHECK(rows[1].best == std::vector<std::string>{"EDP"}); // 3300 J s; the others 4000 and 5800
  CHECK(rows[2].best == std::vector<std::string>{"time"});
  CHECK((rows[0].front && rows[1].front && rows[2].front));
  CHECK(rows[3].best == std::vector<std::string>{"time", "energy", "EDP"});
  CHECK_FALSE(rows[4].front);
}

TEST_CASE("the table of a stencil") {
  WhatIfStencil what = sample();
  const std::string text = stencil_text(what, 40);
  CHECK_THAT(text,
             Catch::StartsWith("farcast: what if: stencil heat.json, 100 tiles along each of 2 dimensions, 1000 iterations\n"));
  CHECK_THAT(
      text,
      Catch::Contains("scenario       frequency   K  cores  nodes     time   energy  avg. power         EDP  overlapped  best") &&
          Catch::Contains(
              "real               3 GHz  25     16      3  10.00 s  400.0 J     40.00 W  4.000 kJ s     75.00 %  * time") &&
          Catch::Contains(
              "real               2 GHz  25     16      3  11.00 s  300.0 J     27.27 W  3.300 kJ s     75.00 %  * EDP"));
  CHECK_THAT(text, !Catch::Contains("ideal") && !Catch::Contains("more"));
  what.ideal = true;
  what.points[4].grid_is_smaller = true;
  CHECK_THAT(stencil_text(what, 40),
             Catch::Contains("eq. (7)") && Catch::Contains("25 !") && Catch::Contains("larger than the grid"));
  what.points.push_back(point("VM \"per\" core", 2, 31, 501));
  CHECK_THAT(stencil_text(what, 1), Catch::Contains("and 2 points more")); // the best ones are shown
}

TEST_CASE("CSV and JSON of a stencil") {
  const WhatIfStencil what = sample();
  CHECK_THAT(stencil_csv(what),
             Catch::StartsWith("scenario,frequency_ghz,tiles,cores,nodes,time_s,energy_j,average_power_w,edp_js,"
                               "edge_s,internal_s,communication_s,best,front\n\"real\",3,25,16,3,10,400,40,4000,1,"
                               "3,4,time,1\n"));
  CHECK_THAT(stencil_csv(what), Catch::Contains("\n\"VM \"\"per\"\" core\",3,25,16,3,12,410,"));
  const Json json = stencil_json(what);
  CHECK(json.at("schema") == "farcast-whatif-stencil/1");
  CHECK(json.at("points").size() == 5);
  CHECK(json.at("points")[1].at("edp_js") == 3300.0);
  CHECK(json.at("points")[1].at("iteration_s").at("communication") == 4.0);
}

} // namespace what_if_stencil_test
