// Whose the joules are, on hand-computed runs.
#include "predictor/sim/predict.h"

#include <catch2/catch.hpp>
#include <unit/sim/scenario.h>

namespace energy_shares_test {

using namespace farcast;
using namespace scenario;

namespace {

// One node of 4 cores, 90 W idle, else 100 W and per core 25 W computing, 20 W polling, 15 W probing.
platform::Platform one_node() {
  platform::Platform platform = flat(1, kBandwidth, kLatency, 4);
  platform.hosts[0].power = platform::NodePower{Watts(90), Watts(100), Watts(200), Watts(180), Watts(160), false};
  return platform;
}

platform::Placement ranks_on_node(int ranks) {
  platform::Placement placement;
  placement.host_of.assign(static_cast<std::size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) placement.core_of.push_back(rank);
  return placement;
}

} // namespace

TEST_CASE("ranks share the static power while their cores are active, and regions and calls have what they draw") {
  Program program(2);
  program.all_init();
  program.rank(0).compute(1).local(2).at_site(7, 3).compute(1);
  program.rank(1).compute(2);
  program.all_finalize();
  const sim::Prediction prediction = sim::predict(program, one_node(), ranks_on_node(2), {}, nullptr, nullptr);
  REQUIRE(prediction.complete);
  REQUIRE(prediction.time.value() == Approx(4));
  // Until 2 s both draw 25 W and half of 100 W, afterwards rank 0 its 25 W and all of 100 W.
  CHECK(prediction.ranks[0].energy.value() == Approx(2 * 75 + 2 * 125));
  CHECK(prediction.ranks[1].energy.value() == Approx(2 * 75));
  CHECK(prediction.idle_energy.value() == 0.0);
  CHECK(prediction.energy.value().value() == Approx(550));
  CHECK(prediction.sites.at(7)[0].energy.value() == Approx(75 + 125)); // the local call, from 1 s to 3 s
  CHECK(prediction.sites.at(7)[1].energy.value() == 0.0);
  CHECK(prediction.regions.at(3).energy.value() == Approx(75));
  CHECK(prediction.regions.at(0).energy.value() == Approx(125 + 150));
}

TEST_CASE("a rank that is blocked for good draws until the end, in its call") {
  Program program(2);
  program.all_init();
  program.rank(0).compute(1).receive(1);
  program.rank(1).compute(3);
  program.rank(1).finalize();
  const sim::Prediction prediction = sim::predict(program, one_node(), ranks_on_node(2), {}, nullptr, nullptr);
  REQUIRE_FALSE(prediction.complete);
  REQUIRE(prediction.time.value() == Approx(3));
  CHECK(prediction.ranks[0].energy.value() == Approx(1 * 75 + 2 * 70));
  CHECK(prediction.ranks[1].energy.value() == Approx(3 * 75));
}

TEST_CASE("without power figures nothing has joules") {
  Program program(1);
  program.all_init();
  program.rank(0).compute(1);
  program.all_finalize();
  const sim::Prediction prediction =
      sim::predict(program, flat(1, kBandwidth, kLatency, 1), ranks_on_node(1), {}, nullptr, nullptr);
  CHECK_FALSE(prediction.energy);
  CHECK(prediction.ranks[0].energy.value() == 0.0);
}

} // namespace energy_shares_test
