// farcast:virtualization: virtual machines on the nodes (Balladini13), as factors.
#include "predictor/platform/simgrid_xml.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace virtualization_test {

using namespace farcast;
using namespace scenario;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-9); }

platform::Platform cluster(const std::string& virtualization) {
  const std::string more =
      virtualization.empty() ? "" : fmt::format("<prop id='farcast:virtualization' value='{}'/>", virtualization);
  auto read = platform::parse_simgrid_xml(
      fmt::format("<platform version='4.1'><config><prop id='smpi/os' value='0:1e-6:1e-10'/><prop id='smpi/or' "
                  "value='0:2e-6:1e-10'/></config><zone id='z' routing='Full'><cluster id='c' prefix='n' suffix='' radical='0-3' "
                  "speed='1Gf' core='1' bw='125MBps' lat='25us'><prop id='wattage_per_state' value='90:100:200'/>"
                  "<prop id='farcast:block_p2p' value='4e-6:1e-9:1'/>{}</cluster></zone></platform>",
                  more),
      "p.xml");
  if (!read) FAIL(read.error().message);
  return *read;
}

sim::Prediction played(const platform::Platform& platform, double seconds, double bytes, bool blocks = false) {
  Program program(2);
  program.all_init();
  program.rank(0).compute(seconds).send(1, bytes);
  program.rank(1).compute(seconds).receive(0);
  program.all_finalize();
  sim::Options options;
  options.network = blocks ? sim::NetworkModel::blocks : sim::NetworkModel::flows;
  return sim::predict(program, platform, one_per_host(2), options);
}

} // namespace

TEST_CASE("virtual machines make computation, messages and watts so many times as large") {
  const platform::Platform real = cluster(""), machines = cluster("1.16:2.12:1.5");
  CHECK(played(machines, 1, 0).ranks[0].in[0].value() == near(1.16));
  for (const double bytes : {1.0, 1e4, 1e6})
    CHECK(played(machines, 0, bytes).time.value() == near(2.12 * played(real, 0, bytes).time.value()));
  CHECK(played(machines, 0, 1e4, true).time.value() == near(2.12 * (4e-6 + 1e-5)));
  const sim::Prediction before = played(real, 1, 0), after = played(machines, 1, 0);
  CHECK((after.energy_parts.computing / after.ranks[0].in[0]).value() ==
        near(1.5 * (before.energy_parts.computing / before.ranks[0].in[0]).value()));
  REQUIRE(machines.warnings.size() == 1);
  CHECK_THAT(machines.warnings[0], Catch::Contains("computation takes 1.16 times, communication 2.12 times as long"));
}

TEST_CASE("factors of 1 change nothing, and other words are refused") {
  const platform::Platform real = cluster(""), neutral = cluster("1:1:1");
  CHECK(neutral.warnings.empty());
  const sim::Prediction before = played(real, 0.1, 1e5), after = played(neutral, 0.1, 1e5);
  CHECK(after.time == before.time);
  CHECK(after.energy == before.energy);
  for (const char* wrong : {"1:1", "1:0:1", "1:1:1:1", "a:1:1", "1:1:1:", ""}) {
    const auto read = platform::parse_simgrid_xml(
        fmt::format("<platform version='4.1'><zone id='z' routing='Full'><cluster id='c' prefix='n' suffix='' radical='0' "
                    "speed='1Gf' bw='1GBps' lat='1us'><prop id='farcast:virtualization' value='{}'/></cluster></zone></platform>",
                    wrong),
        "p.xml");
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error().message, Catch::Contains("p.xml:1: property farcast:virtualization: found") &&
                                         Catch::Contains("computation:communication:power"));
  }
}

} // namespace virtualization_test
