#include "predictor/platform/uncertainty.h"

#include "predictor/platform/simgrid_xml.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace uncertainty_test {

using namespace farcast::platform;

namespace {

std::string file(const std::string& properties) {
  return "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\">"
         "<config><prop id=\"smpi/os\" value=\"0:1e-5:2e-10;1000:2e-5:1e-10\"/></config>"
         "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1e8Bps\" lat=\"1e-4s\">" +
         properties + "</cluster></platform>";
}

std::string prop(const std::string& id, const std::string& value) {
  return "<prop id=\"farcast:" + id + "\" value=\"" + value + "\"/>";
}

struct Spread {
  double mean = 0;
  double deviation = 0;
};
Spread spread_of(const std::vector<double>& values) {
  Spread out;
  for (const double value : values) out.mean += value / static_cast<double>(values.size());
  for (const double value : values) out.deviation += (value - out.mean) * (value - out.mean);
  out.deviation = std::sqrt(out.deviation / static_cast<double>(values.size() - 1));
  return out;
}

} // namespace

TEST_CASE("drawn figures scatter by their standard errors and hang together as they say") {
  const auto platform = parse_simgrid_xml(file(prop("uncertainty:bandwidth", "0.02") + prop("uncertainty:latency", "0.1") +
                                               prop("uncertainty:os", "0:1e-6:4e-11:-0.8") + prop("bulk_write", "2e-10") +
                                               prop("uncertainty:bulk_write", "1e-11")),
                                          "file.xml");
  REQUIRE(platform);
  CHECK(platform->uncertainty.network_known());
  std::vector<double> bandwidth, latency, base, slope, product, write;
  for (std::uint64_t member = 1; member <= 4000; ++member) {
    const Platform one = drawn(*platform, member);
    bandwidth.push_back(one.links.front().bandwidth.value() / platform->links.front().bandwidth.value());
    latency.push_back(one.route(0, 1).latency.value() / platform->route(0, 1).latency.value());
    base.push_back(one.p2p.send_overhead[0].base_s);
    slope.push_back(one.p2p.send_overhead[0].per_byte_s);
    product.push_back((base.back() - 1e-5) / 1e-6 * (slope.back() - 2e-10) / 4e-11);
    write.push_back(one.transport.bulk_write_s);
    CHECK(one.p2p.send_overhead[1].base_s == 2e-5); // nobody says how sure it is
  }
  CHECK(spread_of(bandwidth).mean == Approx(1).epsilon(0.002));
  CHECK(spread_of(bandwidth).deviation == Approx(0.02).epsilon(0.05));
  CHECK(spread_of(latency).deviation == Approx(0.1).epsilon(0.05));
  CHECK(spread_of(base).deviation == Approx(1e-6).epsilon(0.05));
  CHECK(spread_of(slope).deviation == Approx(4e-11).epsilon(0.05));
  CHECK(spread_of(product).mean == Approx(-0.8).margin(0.05));
  CHECK(spread_of(write).deviation == Approx(1e-11).epsilon(0.05));
}

TEST_CASE("a member has the same draws on any platform") {
  const auto one = parse_simgrid_xml(file(prop("uncertainty:bandwidth", "0.02")), "one.xml");
  const auto other = parse_simgrid_xml(file(prop("uncertainty:bandwidth", "0.04")), "other.xml");
  REQUIRE((one && other));
  for (std::uint64_t member = 1; member <= 20; ++member) {
    const double first = drawn(*one, member).links.front().bandwidth.value() / 1e8 - 1;
    const double second = drawn(*other, member).links.front().bandwidth.value() / 1e8 - 1;
    CHECK(second == Approx(2 * first));
  }
}

TEST_CASE("a platform that says nothing of its figures is drawn as it is") {
  const auto platform = parse_simgrid_xml(file(""), "file.xml");
  REQUIRE(platform);
  CHECK_FALSE(platform->uncertainty.network_known());
  const Platform same = drawn(*platform, 5);
  CHECK(same.links.front().bandwidth.value() == platform->links.front().bandwidth.value());
  CHECK(same.p2p.send_overhead[0].base_s == platform->p2p.send_overhead[0].base_s);
}

TEST_CASE("what is no standard error is refused with its place") {
  const auto [id, value] = GENERATE(table<std::string, std::string>({{"bandwidth", "-0.1"},
                                                                     {"os", "0:1e-6:4e-11"},
                                                                     {"os", "0:1e-6:4e-11:-1.2"},
                                                                     {"os", "0:1e-6:4e-11:0:0"},
                                                                     {"cold_call", "quick"},
                                                                     {"latency", "nan"}}));
  const auto platform = parse_simgrid_xml(file(prop("uncertainty:" + id, value)), "file.xml");
  INFO(id << " " << value);
  REQUIRE_FALSE(platform);
  CHECK(platform.error().message.find("file.xml:1: property farcast:uncertainty:" + id) != std::string::npos);
}

TEST_CASE("watts, the clock's share and the speed of cores are drawn where it is said how sure they are") {
  const std::string watts = "<prop id=\"wattage_per_state\" value=\"60:80:200\"/>" + prop("polling_watts", "150");
  const auto platform = parse_simgrid_xml(
      file(watts + prop("relative_speed", "2") + prop("clock_share", "0.9") + prop("uncertainty:watts", "0.1:0.05:0.02") +
           prop("uncertainty:relative_speed", "0.03") + prop("uncertainty:clock_share", "0.2")),
      "file.xml");
  REQUIRE(platform);
  CHECK(platform->uncertainty.any());
  CHECK_FALSE(platform->uncertainty.network_known());
  std::vector<double> idle, still, computing, polling, speed;
  for (std::uint64_t member = 1; member <= 4000; ++member) {
    const Platform one = drawn(*platform, member);
    const NodePower& power = *one.hosts[0].power;
    idle.push_back(power.idle.value() / 60);
    still.push_back(power.static_active.value() / 80);
    computing.push_back(power.all_computing.value() / 200);
    polling.push_back(power.all_polling.value() / 150);
    speed.push_back(*one.hosts[3].relative_speed / 2);
    CHECK((power.all_probing >= power.static_active && one.hosts[1].power->idle == power.idle));
    const double share = *one.hosts[0].processor->clock_share;
    CHECK((share >= 0 && share <= 1));
  }
  CHECK(spread_of(idle).deviation == Approx(0.1).epsilon(0.05));
  CHECK(spread_of(still).deviation == Approx(0.05).epsilon(0.05));
  CHECK(spread_of(computing).deviation == Approx(0.02).epsilon(0.05));
  CHECK(spread_of(polling).deviation == Approx(0.02).epsilon(0.05)); // as sure as what stands before it
  CHECK(spread_of(speed).deviation == Approx(0.03).epsilon(0.05));
  for (const char* const wrong : {"0.1", "0.1:0.2", "a:b:c", "1:1:1:1:1:1:1"}) {
    const auto refused = parse_simgrid_xml(file(watts + prop("uncertainty:watts", wrong)), "file.xml");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("expected IDLE:STATIC:COMPUTING") != std::string::npos);
  }
}

} // namespace uncertainty_test
