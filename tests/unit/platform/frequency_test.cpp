#include "predictor/platform/frequency.h"
#include "predictor/platform/simgrid_xml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace farcast;
using namespace farcast::platform;

namespace {

std::string hosts(const std::string& first, const std::string& second) {
  return fmt::format("<platform version='4.1'>{{}}<zone id='z' routing='None'>{}{}</zone></platform>", first, second);
}

std::string host(const std::string& id, const std::string& attributes, const std::string& properties) {
  return fmt::format("<host id='{}' core='4' {}>{}</host>", id, attributes, properties);
}

std::string prop(const std::string& id, const std::string& value) { return fmt::format("<prop id='{}' value='{}'/>", id, value); }

base::Result<Platform> read(const std::string& text, const std::string& config = "") {
  return parse_simgrid_xml(fmt::format(fmt::runtime(text), config), "p.xml");
}

const std::string kThree = "speed='20Gf,15Gf,10Gf'";
const std::string kNamed = prop("farcast:frequencies", "2.0, 1.5, 1.0");
const std::string kWatts = prop("wattage_per_state", "60:80:200, 58:75:160, 55:70:120") + prop("farcast:polling_watts", "140");

} // namespace

TEST_CASE("all states of a processor are read, with their frequencies and watts") {
  const auto platform = read(hosts(host("a", kThree, kNamed + kWatts), host("b", kThree + " pstate='2'", kNamed + kWatts)));
  REQUIRE(platform);
  CHECK(platform->warnings.empty());
  const Host& first = platform->hosts[0];
  CHECK(first.speed.value() == 20e9);
  CHECK(first.power->all_computing.value() == 200);
  REQUIRE(first.processor->states.size() == 3);
  CHECK(first.processor->states[1].frequency->value() == 1.5e9);
  CHECK(first.processor->clock(1) == 0.75);
  // One figure of polling: half of what computing adds, in every state.
  CHECK(first.processor->states[1].power->all_polling.value() == 75 + 0.5 * 85);
  CHECK(first.processor->states[2].power->all_probing.value() == 70 + 0.5 * 50);
  const Host& second = platform->hosts[1]; // of the state in use
  CHECK(second.state == 2);
  CHECK(second.speed.value() == 10e9);
  CHECK(second.power->all_computing.value() == 120);
  CHECK(read(hosts(host("a", kThree, kWatts + prop("farcast:probing_watts", "150,120,100")), ""))
            ->hosts[0]
            .processor->states[1]
            .power->all_probing.value() == 120);
  const auto memory = read(hosts(host("a", kThree, kWatts + prop("farcast:memory_watts", "170")), ""));
  CHECK(memory->hosts[0].processor->states[1].power->all_memory->value() == 75 + 0.75 * 85); // as much of what computing adds
}

TEST_CASE("a frequency chooses speed and watts of every host") {
  auto platform = read(hosts(host("a", kThree, kNamed + kWatts), host("b", kThree, kNamed)));
  REQUIRE(platform);
  REQUIRE(choose_frequency(*platform, base::Hertz(1.5e9)));
  CHECK(platform->hosts[0].state == 1);
  CHECK(platform->hosts[0].speed.value() == 15e9);
  CHECK(platform->hosts[0].power->all_computing.value() == 160);
  CHECK(platform->hosts[1].speed.value() == 15e9);
  CHECK_FALSE(platform->hosts[1].power);
}

TEST_CASE("a frequency that a host lacks is an error that names those it has") {
  auto platform = read(hosts(host("a", kThree, kNamed), host("b", "speed='1Gf'", "")));
  REQUIRE(platform);
  auto refused = choose_frequency(*platform, base::Hertz(1.8e9));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "found frequency 1.8 GHz, expected one that host a of platform p.xml has: 2, 1.5, 1 GHz");
  refused = choose_frequency(*platform, base::Hertz(1.5e9));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message ==
        "found frequency 1.5 GHz, but host b of platform p.xml names no frequencies (farcast:frequencies)");
  CHECK(platform->hosts[0].state == 0); // nothing was changed
}

TEST_CASE("slips in what is said of processor states") {
  const auto refused = [](const std::string& attributes, const std::string& properties) {
    const auto platform = read(hosts(host("a", attributes, properties), ""));
    REQUIRE_FALSE(platform);
    return platform.error().message;
  };
  CHECK_THAT(refused(kThree, prop("farcast:frequencies", "2,1")),
             Catch::Contains("as many frequencies as attribute speed has speeds, 3"));
  CHECK_THAT(refused(kThree, prop("farcast:frequencies", "2,x,1")), Catch::Contains("frequencies in GHz"));
  CHECK_THAT(refused(kThree, prop("farcast:frequencies", "2,-1.5,1")), Catch::Contains("frequencies in GHz"));
  CHECK_THAT(refused(kThree, prop("farcast:clock_share", "1.5")), Catch::Contains("a number from 0 to 1"));
  CHECK_THAT(refused(kThree + " pstate='3'", ""), Catch::Contains("expected a speed for processor state 3"));
  CHECK_THAT(refused(kThree, prop("wattage_per_state", "1:2:3,1:2:3") + prop("farcast:polling_watts", "3,3,3")),
             Catch::Contains("one figure, or one for each of 2 processor states"));
}

TEST_CASE("smpi/host-speed is the measuring machine's") {
  const auto config = [](const char* speed) {
    return fmt::format("<config id='c'><prop id='smpi/host-speed' value='{}'/></config>", speed);
  };
  const std::string one = hosts(host("a", kThree, ""), "");
  CHECK(read(one, config("8Gf"))->measuring_speed->value() == 8e9);
  CHECK_FALSE(read(one)->measuring_speed);
  CHECK(read(one, config("auto"))->warnings.size() == 1);
  CHECK_THAT(read(one, config("fast")).error().message, Catch::Contains("option smpi/host-speed: found 'fast'"));
}

TEST_CASE("what collectives may save: sockets, T-states and what a change takes") {
  const auto saving_of = [](const std::string& properties) {
    const auto platform = read(hosts(host("a", kThree, properties), ""));
    REQUIRE(platform);
    return platform->hosts.front().processor->saving;
  };
  const auto refused = [](const std::string& properties) {
    const auto platform = read(hosts(host("a", kThree, properties), ""));
    REQUIRE_FALSE(platform);
    return platform.error().message;
  };
  const PowerSaving unsaid = saving_of("");
  CHECK(unsaid.sockets == 0);
  CHECK(unsaid.dvfs_latency.value() == 15e-6);
  CHECK(unsaid.throttled == std::array{0.5, 0.12});
  const PowerSaving said = saving_of(prop("farcast:sockets", "2") + prop("farcast:dvfs_latency", "12us") +
                                     prop("farcast:throttle_latency", "1ms") + prop("farcast:throttled_shares", "0.4 : 0.1"));
  CHECK(said.sockets == 2);
  CHECK(said.dvfs_latency.value() == Approx(12e-6));
  CHECK(said.throttle_latency.value() == Approx(1e-3));
  CHECK(said.throttled == std::array{0.4, 0.1});
  for (const char* shares : {"0.5", "0.5:0.1:0.1", "1.5:0.1", "-1:0", "a:b", ""})
    CHECK_THAT(refused(prop("farcast:throttled_shares", shares)), Catch::Contains("T4 and T7"));
  for (const char* sockets : {"3", "0", "8", "two"})
    CHECK_THAT(refused(prop("farcast:sockets", sockets)), Catch::Contains("share 4 cores evenly"));
  CHECK_THAT(refused(prop("farcast:dvfs_latency", "-1us")), Catch::Contains("farcast:dvfs_latency"));
}
