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

TEST_CASE("slowdowns that were measured with fewer co-runners than they are used in are a caution, where it is much") {
  sim::SlowdownUse use;
  use.source = "regions.h5";
  use.exact = base::Seconds(10.0);
  use.played = base::Seconds(20.0);
  CHECK(report::slowdown_cautions(use).empty());
  use.played_beyond = base::Seconds(15.0);
  use.corunners_played = 12;
  use.corunners_measured = 2;
  const auto sentences = report::slowdown_cautions(use);
  REQUIRE(sentences.size() == 1);
  CHECK(sentences[0].find("75.00 % of the predicted computation has up to 12 ranks computing on its node, and its slowdowns were "
                          "measured with at most 2") == 0);
  CHECK(sentences[0].find("regions.h5") != std::string::npos);
  use.played_beyond = base::Seconds(0.01);
  CHECK(report::slowdown_cautions(use).empty());
  use.beyond = base::Seconds(5.0);
  REQUIRE(report::slowdown_cautions(use).size() == 1);
  CHECK(report::slowdown_cautions(use)[0].find("50.00 % of the recorded computation had more ranks beside it") == 0);
}
