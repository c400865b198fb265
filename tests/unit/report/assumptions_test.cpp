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
  const auto sentences = report::assumptions_of(cluster);
  REQUIRE(sentences.size() == 2);
  CHECK(sentences[0].find("draws 188.0 W") != std::string::npos);
  CHECK(sentences[1] == "limiter_link is not modelled");
}

TEST_CASE("measured polling power is no assumption") {
  platform::Platform cluster;
  cluster.hosts.resize(1);
  cluster.hosts[0].power = platform::NodePower{};
  cluster.hosts[0].power->polling_assumed = false;
  CHECK(report::assumptions_of(cluster).empty());
}
