#include "predictor/platform/simgrid_xml.h"
#include "predictor/platform/smpi_config.h"

#include <catch2/catch.hpp>

using namespace farcast::platform;

namespace {

PointToPoint configured(const std::string& id, const std::string& value) {
  PointToPoint p2p = simgrid_defaults();
  std::vector<std::string> warnings;
  const auto done = apply_config({{id, value, "p.xml:2"}}, p2p, warnings);
  INFO((done ? std::string() : done.error().message));
  REQUIRE(done);
  CHECK(warnings.empty());
  return p2p;
}

std::string refused(const std::string& id, const std::string& value) {
  PointToPoint p2p = simgrid_defaults();
  std::vector<std::string> warnings;
  const auto done = apply_config({{id, value, "p.xml:2"}}, p2p, warnings);
  REQUIRE_FALSE(done);
  return done.error().message;
}

} // namespace

TEST_CASE("factors under both names, in any order of sections") {
  for (const char* id : {"smpi/bw-factor", "network/bandwidth-factor"}) {
    const Factor factor = configured(id, "65472:0.94;0:0.81;1426:0.6").bandwidth_factor;
    REQUIRE(factor.size() == 3);
    CHECK(factor_at(factor, 1426) == 0.81);
    CHECK(factor_at(factor, 1427) == 0.6);
    CHECK(factor_at(factor, 1e9) == 0.94);
  }
  for (const char* id : {"smpi/lat-factor", "network/latency-factor"}) {
    const Factor factor = configured(id, "100:3;").latency_factor;
    REQUIRE(factor.size() == 2); // 1 up to the first boundary
    CHECK(factor_at(factor, 100) == 1.0);
    CHECK(factor_at(factor, 101) == 3.0);
  }
  const Factor everywhere = configured("smpi/bw-factor", "0.97").bandwidth_factor;
  REQUIRE(everywhere.size() == 1);
  CHECK(factor_at(everywhere, 1e6) == 0.97);
}

TEST_CASE("SimGrid's own defaults, written out, are the defaults") {
  const PointToPoint p2p = configured(
      "smpi/bw-factor", "65472:0.940694;15424:0.697866;9376:0.58729;5776:1.08739;3484:0.77493;1426:0.608902;732:0.341987;"
                        "257:0.338112;0:0.812084");
  const Factor defaults = simgrid_defaults().bandwidth_factor;
  REQUIRE(p2p.bandwidth_factor.size() == defaults.size());
  for (std::size_t i = 0; i < defaults.size(); ++i) {
    CHECK(p2p.bandwidth_factor[i].above_bytes == defaults[i].above_bytes);
    CHECK(p2p.bandwidth_factor[i].factor == defaults[i].factor);
  }
}

TEST_CASE("overheads") {
  const PointToPoint os = configured("smpi/os", "0:8.93e-6:7.65e-10;1420:1.39e-5:2.97e-10");
  CHECK(overhead_at(os.send_overhead, 1000).value() == Approx(8.93e-6 + 7.65e-7));
  CHECK(overhead_at(os.send_overhead, 2000).value() == Approx(1.39e-5 + 5.94e-7));
  CHECK(overhead_at(configured("smpi/ois", "0:1us:0").isend_overhead, 5).value() == Approx(1e-6));
  CHECK(overhead_at(configured("smpi/or", "0:0:0:0:0").receive_overhead, 5).value() == 0.0);
}

TEST_CASE("other options") {
  CHECK(configured("smpi/send-is-detached-thresh", "12288").detached_below_bytes == 12288.0);
  CHECK(configured("smpi/async-small-thresh", "64").eager_flow_below_bytes == 64.0);
  CHECK(configured("network/TCP-gamma", "0").tcp_gamma == 0.0);
  CHECK(configured("network/weight-S", "20537").weight_s == 20537.0);
  CHECK_FALSE(configured("network/crosstraffic", "no").crosstraffic);
  CHECK(configured("network/crosstraffic", "1").crosstraffic);
  CHECK(configured("smpi/iprobe", "2e-6").iprobe_cost.value().value() == 2e-6);
  CHECK(configured("smpi/test", "3us").test_cost.value().value() == Approx(3e-6));
  CHECK(configured("network/model", "SMPI").weight_s == 8775.0);
}

TEST_CASE("options that are not modelled are warnings") {
  PointToPoint p2p = simgrid_defaults();
  std::vector<std::string> warnings;
  REQUIRE(apply_config({{"smpi/cpu-threshold", "1", "p.xml:2"}, {"network/model", "CM02", "p.xml:3"}}, p2p, warnings));
  CHECK(warnings == std::vector<std::string>{"p.xml:2: option smpi/cpu-threshold is not modelled",
                                             "p.xml:3: option network/model: found 'CM02'; SimGrid's SMPI model is used"});
}

TEST_CASE("bad options say what was expected") {
  for (const char* value :
       {"", "x", "0", "-1", "1:2:3", "1:", ":1", "1:0", "1:-2", "1:2;1:3", "a:1", "1.5:2", "1:2;;3:4", "1:nan"}) {
    INFO(value);
    CHECK_THAT(refused("smpi/bw-factor", value),
               Catch::StartsWith("p.xml:2: option smpi/bw-factor: found '" + std::string(value) +
                                 "', expected one positive number, or factors"));
  }
  for (const char* value : {"", "1", "0:1", "0:a:b", "0:1:-1", "x:1:1", "0:1:1;0:2:2"}) {
    INFO(value);
    CHECK_THAT(refused("smpi/or", value), Catch::Contains("expected overheads such as"));
  }
  CHECK_THAT(refused("smpi/send-is-detached-thresh", "-1"), Catch::Contains("expected a whole number"));
  CHECK_THAT(refused("network/TCP-gamma", "-1"), Catch::Contains("not negative"));
  CHECK_THAT(refused("network/crosstraffic", "2"), Catch::Contains("expected yes or no"));
  CHECK_THAT(refused("smpi/test", "-1us"), Catch::Contains("expected a time"));
}

TEST_CASE("options of a file reach the platform") {
  const auto platform =
      parse_simgrid_xml("<platform version='4.1'>\n<config id='General'>\n<prop id='network/TCP-gamma' value='0'/>\n<prop "
                        "id='tracing' value='yes'/>"
                        "</config>\n<config><prop id='smpi/bw-factor' value='1'/></config>\n"
                        "<cluster id='c' prefix='n' suffix='' radical='0' speed='1f' bw='1' lat='0'/></platform>",
                        "p.xml");
  REQUIRE(platform);
  CHECK(platform->p2p.tcp_gamma == 0.0);
  CHECK(factor_at(platform->p2p.bandwidth_factor, 10) == 1.0);
  CHECK(platform->warnings == std::vector<std::string>{"p.xml:4: option tracing is not modelled"});
  const auto twice = parse_simgrid_xml("<platform version='4.1'><config><prop id='a' value='0'/></config>"
                                       "<config><prop id='a' value='0'/></config></platform>",
                                       "p.xml");
  REQUIRE_FALSE(twice);
  CHECK_THAT(twice.error().message, Catch::Contains("found property 'a' a second time"));
}
