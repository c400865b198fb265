#include "predictor/scenario/failures.h"

#include <catch2/catch.hpp>

namespace failures_test {

using namespace farcast;
using namespace farcast::scenario;

namespace {

// Three hosts, two ranks on the first and one on the last.
PlacedPlatform sample() {
  PlacedPlatform placed;
  placed.platform.name = "p.xml";
  for (const double idle : {50.0, 60.0, 70.0}) {
    platform::Host& host = placed.platform.hosts.emplace_back();
    host.name = "host" + std::to_string(placed.platform.hosts.size());
    host.failure_rate = base::Hertz(1e-6 * idle);
    host.power.emplace();
    host.power->idle = base::Watts(idle);
    host.power->static_active = base::Watts(2 * idle);
  }
  placed.placement.host_of = {0, 0, 2};
  return placed;
}

} // namespace

TEST_CASE("each used host fails, and draws its idle watts, once") {
  const auto nodes = used_nodes(sample(), std::nullopt);
  REQUIRE(nodes);
  CHECK(nodes->failures.value() == Approx(120e-6).epsilon(1e-14));
  CHECK(nodes->idle == base::Watts(120));
}

TEST_CASE("a failure rate that is asked for holds for each node") {
  PlacedPlatform placed = sample();
  for (platform::Host& host : placed.platform.hosts) host.failure_rate.reset();
  CHECK(used_nodes(placed, base::Hertz(3e-7)).value().failures.value() == Approx(6e-7).epsilon(1e-14));
  CHECK(used_nodes(sample(), base::Hertz(0)).value().failures == base::Hertz(0));
}

TEST_CASE("a used host without a rate is named; one without power leaves no idle watts") {
  PlacedPlatform placed = sample();
  placed.platform.hosts[1].failure_rate.reset(); // has no rank
  CHECK(used_nodes(placed, std::nullopt));
  placed.platform.hosts[2].failure_rate.reset();
  CHECK(used_nodes(placed, std::nullopt).error().message ==
        "platform p.xml does not say how often host host3 fails, expected its property farcast:failure_rate, or --failure-rate");
  placed = sample();
  placed.platform.hosts[0].power.reset();
  CHECK_FALSE(used_nodes(placed, std::nullopt).value().idle);
}

} // namespace failures_test
