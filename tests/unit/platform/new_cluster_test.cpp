#include "predictor/platform/new_cluster.h"

#include "predictor/platform/simgrid_xml.h"
#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <fstream>

using namespace farcast;
using platform::cluster_file;
using platform::NewCluster;

namespace {

NewCluster sixteen_nodes() {
  NewCluster cluster;
  cluster.nodes = 16;
  cluster.cores = 12;
  cluster.bandwidth = base::BytesPerSecond(1.25e9);
  cluster.latency = base::Seconds(1.5e-6);
  return cluster;
}

platform::Platform read_back(const NewCluster& cluster) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.file("my.xml")) << cluster_file("my", cluster);
  auto platform = platform::read_simgrid_xml(folder.file("my.xml"));
  INFO((platform ? "" : platform.error().message));
  REQUIRE(platform);
  return std::move(*platform);
}

} // namespace

TEST_CASE("the file of a new cluster has its figures, and nothing that is not modelled") {
  NewCluster cluster = sixteen_nodes();
  cluster.idle = base::Watts(90);
  cluster.computing = base::Watts(210);
  const platform::Platform platform = read_back(cluster);
  CHECK(platform.warnings.empty());
  REQUIRE(platform.hosts.size() == 16);
  CHECK(platform.hosts[15].cores == 12);
  REQUIRE(platform.hosts[0].power);
  CHECK(platform.hosts[0].power->idle.value() == 90);
  CHECK(platform.hosts[0].power->all_computing.value() == 210);
  const platform::Route route = platform.route(0, 15);
  CHECK(route.links.size() == 2);
  CHECK(route.latency.value() == Approx(1.5e-6 - 16 / 1.25e9).epsilon(1e-9));
  CHECK(platform.links[route.links[0]].bandwidth.value() == 1.25e9);
  CHECK(platform.p2p.tcp_gamma == 0);
  CHECK(platform.p2p.weight_s == 0);
  CHECK_FALSE(platform.p2p.crosstraffic);
  CHECK(factor_at(platform.p2p.latency_factor, 1e6) == 1);
  CHECK(factor_at(platform.p2p.bandwidth_factor, 1e6) == 1);
}

TEST_CASE("what nobody gave of a new cluster is said to be assumed, and power is not made up") {
  NewCluster cluster = sixteen_nodes();
  const platform::Platform platform = read_back(cluster);
  CHECK_FALSE(platform.hosts[0].power);
  CHECK(platform.source.find("assumed: messages within a node") != std::string::npos);
  cluster.node_latency = base::Seconds(3e-7);
  CHECK(read_back(cluster).source.find("assumed") == std::string::npos);
}
