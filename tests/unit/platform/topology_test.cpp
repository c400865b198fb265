// Ways through zones of every kind, by the names of their links. tests/simgrid compares many more
// with SimGrid's own.
#include "predictor/platform/placement.h"
#include "predictor/platform/reachability.h"
#include "predictor/platform/simgrid_xml.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

using namespace farcast;
using namespace farcast::platform;

namespace {

Platform read(const std::string& body) {
  const auto platform = parse_simgrid_xml("<platform version=\"4.1\">" + body + "</platform>", "p.xml");
  INFO((platform ? std::string() : platform.error().message));
  REQUIRE(platform);
  return *platform;
}

Platform cluster(int hosts, const std::string& attributes) {
  return read(fmt::format(R"(<cluster id="c" prefix="n" suffix="" radical="0-{}" speed="1Gf" bw="1GBps" lat="1us" {}/>)",
                          hosts - 1, attributes));
}

std::string way(const Platform& platform, HostId from, HostId to) {
  std::string text;
  for (const LinkId link : platform.route(from, to).links) text += (text.empty() ? "" : " ") + platform.links[link].name;
  return text;
}

HostId host(const Platform& platform, const std::string& name) {
  const auto found = std::find_if(platform.hosts.begin(), platform.hosts.end(), [&](const Host& h) { return h.name == name; });
  REQUIRE(found != platform.hosts.end());
  return static_cast<HostId>(found - platform.hosts.begin());
}

std::string problem(const Platform& platform, const std::vector<HostId>& hosts) {
  const auto fine = check_routes(platform, hosts);
  return fine ? "" : fine.error().message;
}

const std::string kHosts = R"(<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
  <link id="l" bandwidth="1GBps" latency="1us"/><link id="m" bandwidth="1GBps" latency="2us"/>
  <link id="s" bandwidth="2GBps" latency="4us" sharing_policy="SPLITDUPLEX"/>)";

} // namespace

TEST_CASE("a fat tree spreads destinations over its cables") {
  const Platform tree = cluster(16, R"(topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2")");
  CHECK(tree.links.size() == 64); // 16 cables below, 4 x 2 x 2 above, both directions
  CHECK(way(tree, 0, 1) == "link_from_0_31_0_UP link_from_1_31_1_DOWN");
  CHECK(tree.route(0, 5).links.size() == 4);
  CHECK(tree.route(0, 5).latency.value() == Approx(4e-6));
  std::map<LinkId, int> used; // the first cable above the leaf switch, by destination
  for (HostId to = 4; to < 16; ++to) ++used[tree.route(0, to).links[1]];
  CHECK(used.size() == 4);
  for (const auto& [link, times] : used) CHECK(times == 3);
  CHECK(tree.route(3, 3).links.size() == 2); // without loopback: to the switch and back
  CHECK(!tree.topology.loops_back(3));
}

TEST_CASE("a torus goes dimension by dimension, around when that is shorter") {
  const Platform torus = cluster(20, R"(topology="TORUS" topo_parameters="5,4" loopback_bw="1GBps")");
  CHECK(way(torus, 0, 1) == "c_link_from_0_to_1_UP");
  CHECK(way(torus, 1, 0) == "c_link_from_0_to_1_DOWN");
  CHECK(way(torus, 0, 4) == "c_link_from_4_to_0_DOWN");
  CHECK(way(torus, 4, 6) == "c_link_from_4_to_0_UP c_link_from_0_to_1_UP c_link_from_1_to_6_UP");
  CHECK(way(torus, 7, 7) == "c_link_7_loopback");
  CHECK(torus.topology.loops_back(7));
}

TEST_CASE("a dragonfly takes at most one cable between groups") {
  const Platform fly = cluster(24, R"(topology="DRAGONFLY" topo_parameters="2,3;2,2;3,1;2")");
  CHECK(way(fly, 0, 1) == "local_link_from_router_0_to_node_0_0_UP local_link_from_router_0_to_node_1_1_DOWN");
  const Route far = fly.route(0, 23);
  int blue = 0;
  for (const LinkId link : far.links) {
    if (fly.links[link].name.starts_with("blue_link")) {
      ++blue;
      CHECK(fly.links[link].bandwidth.value() == 3e9); // three parallel links are one of their sum
    }
  }
  CHECK(blue == 1);
}

TEST_CASE("routes as listed, and back") {
  const Platform full = read("<zone id='z' routing='Full'>" + kHosts +
                             "<route src='a' dst='b'><link_ctn id='l'/><link_ctn id='s' direction='UP'/></route></zone>");
  CHECK(way(full, 0, 1) == "l s_UP");
  CHECK(way(full, 1, 0) == "s_DOWN l");
  CHECK(way(full, 2, 2) == "__loopback__");
  CHECK(full.topology.loops_back(2));
  CHECK(problem(full, {0, 1, 0}).empty());
  CHECK(problem(full, {0, 2}) ==
        "platform p.xml: found no route from host c to host a, expected one between all hosts with ranks");
  const auto placement = place(full, 3, {});
  REQUIRE_FALSE(placement);
  CHECK_THAT(placement.error().message, Catch::Contains("found no route from host c to host"));
}

TEST_CASE("Floyd and Dijkstra find the least links") {
  for (const char* routing : {"Floyd", "Dijkstra"}) {
    const Platform chain = read(fmt::format("<zone id='z' routing='{}'>{}"
                                            "<route src='a' dst='b'><link_ctn id='l'/></route><route src='b' dst='c'><link_ctn "
                                            "id='m'/></route></zone>",
                                            routing, kHosts));
    CHECK(way(chain, 0, 2) == "l m");
    CHECK(way(chain, 2, 0) == "m l");
    CHECK(chain.route(0, 2).latency.value() == Approx(3e-6));
    const Platform direct = read(fmt::format("<zone id='z' routing='{}'>{}"
                                             "<route src='a' dst='b'><link_ctn id='l'/></route><route src='b' dst='c'><link_ctn "
                                             "id='m'/></route><route src='a' dst='c' symmetrical='NO'><link_ctn id='s' "
                                             "direction='UP'/></route></zone>",
                                             routing, kHosts));
    CHECK(way(direct, 0, 2) == "s_UP");
    CHECK(way(direct, 2, 0) == "m l"); // the other direction is not listed
    const Platform cut = read(
        fmt::format("<zone id='z' routing='{}'>{}<route src='a' dst='b'><link_ctn id='l'/></route></zone>", routing, kHosts));
    CHECK(problem(cut, {0, 1}).empty());
    CHECK_THAT(problem(cut, {0, 1, 2}), Catch::Contains("host c"));
  }
}

TEST_CASE("clusters within zones are reached by their gateways") {
  const auto member = [](const std::string& id) {
    return fmt::format(R"(<cluster id="{0}" prefix="{0}" suffix="" radical="0-2" speed="1Gf" bw="1GBps" lat="1us"/>)", id);
  };
  const std::string inner = "<zone id='in' routing='Full'>" + member("x") + member("y") +
                            "<link id='xy' bandwidth='1GBps'/><zoneRoute src='x' dst='y' gw_src='xx_router' gw_dst='yy_router'>"
                            "<link_ctn id='xy'/></zoneRoute></zone>";
  const std::string outer =
      "<zone id='out' routing='Dijkstra'>" + inner + member("z") +
      "<link id='w' bandwidth='1GBps' sharing_policy='SPLITDUPLEX'/><zoneRoute src='in' dst='z' gw_src='x1' "
      "gw_dst='zz_router'><link_ctn id='w' direction='UP'/></zoneRoute></zone>";
  const Platform platform = read(outer);
  const HostId y2 = host(platform, "y2");
  const HostId z0 = host(platform, "z0");
  CHECK(way(platform, y2, z0) == "y_link_2_UP xy x_link_1_DOWN w_UP z_link_0_DOWN");
  CHECK(way(platform, z0, y2) == "z_link_0_UP w_DOWN x_link_1_UP xy y_link_2_DOWN");
  CHECK(problem(platform, {y2, z0, z0, host(platform, "x1")}).empty());
  const Platform apart = read("<zone id='z' routing='Full'>" + member("x") + member("y") + "</zone>");
  CHECK(problem(apart, {0, 1}).empty());
  CHECK_THAT(problem(apart, {0, 3}), Catch::Contains("host y0"));
}

TEST_CASE("hosts of many speeds keep them") {
  const Platform mixed = read("<zone id='z' routing='None'><host id='a' speed='3Gf,1Gf' pstate='1' core='2'><prop "
                              "id='wattage_per_state' value='90:95:200,80:85:120'/></host></zone>");
  CHECK(mixed.hosts[0].speed.value() == 1e9);
  CHECK(mixed.hosts[0].cores == 2);
  CHECK(mixed.hosts[0].power->all_computing.value() == 120);
  CHECK_THAT(problem(mixed, {0, 0}), Catch::Contains("from host a to host a"));
  CHECK(problem(mixed, {0}).empty());
}
