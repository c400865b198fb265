#include "predictor/platform/cluster.h"
#include "predictor/platform/platform.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::platform;

namespace {

// Three hosts of two cores with links of 1 us and 1e9 B/s.
Cluster small_cluster(HostLink host_link) {
  Cluster cluster;
  cluster.id = std::string("c");
  cluster.prefix = std::string("node-");
  cluster.suffix = std::string(".x");
  cluster.radicals = {0, 1, 5};
  cluster.speed = base::FlopsPerSecond(1e9);
  cluster.cores = 2;
  cluster.bandwidth = base::BytesPerSecond(1e9);
  cluster.latency = base::Seconds(1e-6);
  cluster.host_link = host_link;
  return cluster;
}

std::vector<std::string> names(const Platform& platform, const Route& route) {
  std::vector<std::string> result;
  for (const LinkId link : route.links) {
    result.push_back(platform.links[link].name);
  }
  return result;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("simgrid_defaults are those of SimGrid 3.32") {
  const PointToPoint p2p = simgrid_defaults();
  CHECK(p2p.latency_factor.size() == 9);
  CHECK(p2p.bandwidth_factor.size() == 9);
  for (const Factor& factor : {p2p.latency_factor, p2p.bandwidth_factor}) {
    CHECK(factor.front().above_bytes == 0.0);
    for (std::size_t i = 1; i < factor.size(); ++i) {
      CHECK(factor[i - 1].above_bytes < factor[i].above_bytes);
    }
  }
  CHECK(factor_at(p2p.latency_factor, 1.0) == 2.01467);
  CHECK(factor_at(p2p.bandwidth_factor, 1.0) == 0.812084);
  CHECK(factor_at(p2p.latency_factor, 1e6) == 11.6436);
  CHECK(factor_at(p2p.bandwidth_factor, 1e6) == 0.940694);
  CHECK(p2p.send_overhead.empty());
  CHECK(p2p.isend_overhead.empty());
  CHECK(p2p.receive_overhead.empty());
  CHECK(p2p.detached_below_bytes == 65536.0);
  CHECK(p2p.eager_flow_below_bytes == 0.0);
  CHECK(p2p.envelope_bytes == 16.0);
  CHECK(p2p.tcp_gamma == 4194304.0);
  CHECK(p2p.weight_s == 8775.0);
  CHECK(p2p.crosstraffic);
  CHECK_FALSE(p2p.iprobe_cost.has_value()); // what is no figure of anybody's is nobody's default but replay's
  CHECK_FALSE(p2p.test_cost.has_value());
  CHECK(kSimGridPoll.value() == 1e-4);
}

TEST_CASE("a size on a boundary takes the section below") {
  const Factor factor = {{0, 2.0}, {100, 3.0}, {200, 4.0}};
  CHECK(factor_at(factor, 0.5) == 2.0);
  CHECK(factor_at(factor, 100) == 2.0);
  CHECK(factor_at(factor, 100.5) == 3.0);
  CHECK(factor_at(factor, 200) == 3.0);
  CHECK(factor_at(factor, 201) == 4.0);
  CHECK(factor_at(factor, 1e18) == 4.0);
  CHECK(factor_at(factor, 0) == 1.0); // up to the first boundary SimGrid corrects nothing
}

TEST_CASE("overheads are linear within a section") {
  const Overhead overhead = {{0, 1e-6, 1e-9}, {1000, 5e-6, 2e-9}};
  CHECK(overhead_at(overhead, 1000).value() == Approx(2e-6));
  CHECK(overhead_at(overhead, 1001).value() == Approx(5e-6 + 2.002e-6));
  CHECK(overhead_at(overhead, 0).value() == 0.0);
  CHECK(overhead_at({}, 1000).value() == 0.0);
  CHECK(overhead_at({{500, 1.0, 0.0}}, 500).value() == 0.0);
}

TEST_CASE("a flat cluster has SimGrid's names") {
  const Platform platform = build_platform(small_cluster(HostLink::split_duplex));
  REQUIRE(platform.hosts.size() == 3);
  CHECK(platform.hosts[2].name == "node-5.x");
  CHECK(platform.hosts[2].cores == 2);
  CHECK(platform.hosts[2].speed.value() == 1e9);
  CHECK(platform.links.size() == 6);
  CHECK_FALSE(platform.has_power());
}

TEST_CASE("routes over split-duplex links") {
  const Platform platform = build_platform(small_cluster(HostLink::split_duplex));
  const Route route = platform.route(0, 2);
  CHECK(names(platform, route) == Names{"c_link_0_UP", "c_link_5_DOWN"});
  CHECK(route.latency.value() == Approx(2e-6));
  CHECK(names(platform, platform.route(2, 0)) == Names{"c_link_5_UP", "c_link_0_DOWN"});
  CHECK(names(platform, platform.route(1, 1)) == Names{"c_link_1_UP", "c_link_1_DOWN"});
}

TEST_CASE("routes over half-duplex links") {
  const Platform platform = build_platform(small_cluster(HostLink::shared));
  CHECK(platform.links.size() == 3);
  CHECK(names(platform, platform.route(0, 2)) == Names{"c_link_0", "c_link_5"});
  CHECK(names(platform, platform.route(1, 1)) == Names{"c_link_1"});
  CHECK(platform.route(1, 1).latency.value() == Approx(1e-6));
  CHECK(platform.links[0].sharing == Sharing::shared);
}

TEST_CASE("fat pipes") {
  const Platform platform = build_platform(small_cluster(HostLink::fatpipe));
  CHECK(platform.links[0].sharing == Sharing::fatpipe);
  CHECK(platform.links.size() == 3);
}

TEST_CASE("routes with backbone and loopback") {
  Cluster cluster = small_cluster(HostLink::split_duplex);
  cluster.backbone = LinkFigures{base::BytesPerSecond(2e9), base::Seconds(3e-6), Sharing::fatpipe};
  const Platform without = build_platform(cluster);
  CHECK(names(without, without.route(0, 1)) == Names{"c_link_0_UP", "c_backbone", "c_link_1_DOWN"});
  CHECK(without.route(0, 1).latency.value() == Approx(5e-6));
  CHECK(names(without, without.route(1, 1)) == Names{"c_link_1_UP", "c_backbone", "c_link_1_DOWN"});
  CHECK(without.links[without.route(0, 1).links[1]].sharing == Sharing::fatpipe);

  cluster.loopback = LinkFigures{base::BytesPerSecond(5e9), base::Seconds(1e-7), Sharing::shared};
  const Platform with = build_platform(cluster);
  CHECK(names(with, with.route(1, 1)) == Names{"c_link_1_loopback"});
  CHECK(with.route(1, 1).latency.value() == Approx(1e-7));
  CHECK(names(with, with.route(0, 1)) == Names{"c_link_0_UP", "c_backbone", "c_link_1_DOWN"});
  CHECK(with.links[with.route(0, 0).links[0]].sharing == Sharing::shared);
}

TEST_CASE("a platform has power when every host has") {
  Cluster cluster = small_cluster(HostLink::shared);
  cluster.power = NodePower{base::Watts(1), base::Watts(2), base::Watts(3), base::Watts(3), base::Watts(3), true};
  Platform platform = build_platform(cluster);
  CHECK(platform.has_power());
  platform.hosts[1].power.reset();
  CHECK_FALSE(platform.has_power());
  CHECK_FALSE(Platform().has_power());
}
