#include "predictor/report/assumptions.h"

#include <catch2/catch.hpp>

using namespace farcast;

TEST_CASE("polling power that was not measured is named, then what is not modelled") {
  platform::Platform cluster;
  cluster.hosts.resize(2);
  CHECK(report::assumptions_of(cluster).empty());
  platform::NodePower power;
  power.all_polling = base::Watts(188.0);
  power.polling_assumed = true;
  cluster.hosts[1].power = power;
  cluster.warnings = {"limiter_link is not modelled"};
  const auto assumed = report::assumptions_of(cluster);
  REQUIRE(assumed.size() == 2);
  CHECK(std::get<sim::PollingAssumed>(assumed[0]).all_polling.value() == 188.0);
  CHECK(std::get<sim::PlatformRemark>(assumed[1]).sentence == "limiter_link is not modelled");
}

TEST_CASE("measured polling power is no assumption") {
  platform::Platform cluster;
  cluster.hosts.resize(1);
  cluster.hosts[0].power = platform::NodePower{};
  cluster.hosts[0].power->polling_assumed = false;
  CHECK(report::assumptions_of(cluster).empty());
}

TEST_CASE("ranks that share a node without measured slowdowns: said, with how many do") {
  platform::Placement placement;
  placement.host_of = {3, 3, 1, 3, 2, 1};
  const auto assumed = report::contention_assumption(placement, false);
  REQUIRE(assumed.size() == 1);
  CHECK(std::get<sim::MemoryUncontended>(assumed[0]).ranks == 3);
  CHECK(report::contention_assumption(placement, true).empty());
  placement.host_of = {3, 1, 2};
  CHECK(report::contention_assumption(placement, false).empty());
}
