// Computation that is bound by memory draws the watts of its own class of workloads (Heinrich17 eq.
// (1): w), and takes the time that it takes.
#include "unit/region/slowdown_sample.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace memory_bound_test {

using namespace farcast;
using namespace scenario;

namespace {

// 90 W idle, else 100 W and per core 25 W computing, 10 W of it bound by memory, 20 W polling.
platform::Platform one_node(bool memory) {
  platform::Platform platform = flat(1, kBandwidth, kLatency, 4);
  platform.hosts[0].power = platform::NodePower{Watts(90), Watts(100), Watts(200), Watts(180), Watts(160), false};
  if (memory) platform.hosts[0].power->all_memory = Watts(140);
  return platform;
}

// Rank 0 computes 2 s, of which the last one is bound by memory; rank 1 computes 2 s.
sim::Prediction played(const platform::Platform& platform, region::Slowdowns* slowdowns = nullptr) {
  Program program(2);
  program.all_init();
  program.rank(0).compute(1).local(0).compute(1).local(0).memory_bound();
  program.rank(1).compute(2).local(0);
  program.all_finalize();
  platform::Placement placement;
  placement.host_of = {0, 0};
  placement.core_of = {0, 1};
  sim::Options options;
  options.slowdowns = slowdowns;
  return sim::predict(program, platform, placement, options);
}

} // namespace

TEST_CASE("memory-bound computation draws its own watts, as part of computing") {
  const sim::Prediction prediction = played(one_node(true));
  CHECK(prediction.time.value() == Approx(2));
  CHECK(prediction.energy_parts.computing.value() == Approx(3 * 25 + 10));
  CHECK(prediction.energy.value().value() == Approx(200 + 85));
  CHECK(prediction.ranks[0].energy.value() == Approx(100 + 25 + 10));
  CHECK(played(one_node(false)).energy_parts.computing.value() == Approx(4 * 25)); // no figure of its own
}

TEST_CASE("so it does beside co-runners that slow it down") {
  region::SlowdownTable table;
  table.sites = {region::site_at(0x10, "a.c", 10)};
  table.regions = {{0, 0, 1, 1.0, {{1, 1.0, 0, 1}, {2, 2.0, 0, 1}}}};
  trace::SiteTable sites;
  const std::uint32_t site = region::add_site(sites, 0x10);
  REQUIRE(sites.region(site, site) == 0);
  region::Slowdowns slowdowns(table, sites, {});
  const sim::Prediction prediction = played(one_node(true), &slowdowns);
  CHECK(prediction.time.value() == Approx(4));
  CHECK(prediction.energy_parts.computing.value() == Approx(2 * (3 * 25 + 10)));
}

} // namespace memory_bound_test
