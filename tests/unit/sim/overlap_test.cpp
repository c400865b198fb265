// Balladini13 on runs: computation between the posts of messages and their wait is the paper's inner
// tiles, other computation its edge, and nobody has to name them: what a rank has posted says it.
#include "predictor/model/supertile.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace overlap_test {

using namespace farcast;
using namespace scenario;

namespace {

constexpr int kIterations = 25;
constexpr double kTiles = 10;      // K: 36 tiles on the edge, 64 within
constexpr double kBytes = 1e6;     // of the edge, to the neighbour
constexpr double kComputing = 200; // W of a node of one core
constexpr double kPolling = 180;

platform::Platform two_nodes() {
  platform::Platform platform = flat(2);
  for (platform::Host& host : platform.hosts)
    host.power = platform::NodePower{Watts(90), Watts(100), Watts(kComputing), Watts(kPolling), Watts(160), false};
  return platform;
}

sim::Prediction played(const platform::Platform& platform, double tile_s) {
  Program program(2);
  program.all_init();
  for (int rank = 0; rank < 2; ++rank)
    for (int i = 0; i < kIterations; ++i) {
      program.rank(rank).compute(36 * tile_s).ireceive(1 - rank, 1).isend(1 - rank, kBytes, 2);
      program.rank(rank).compute(64 * tile_s).wait({1, 2});
    }
  program.all_finalize();
  return sim::predict(program, platform, one_per_host(2), sim::Options());
}

} // namespace

TEST_CASE("Balladini13 eq. (3), (8), (11): a played stencil takes the time and energy of its supertiles") {
  const platform::Platform platform = two_nodes();
  const double communication = alone(platform, kBytes);
  const model::SpmdProgram program{2, 2 * kTiles, kIterations, 1.0};
  // Inner tiles take from a tenth of the communication to ten times as long.
  for (const double ratio : {0.1, 0.5, 0.999, 1.0, 1.5, 10.0}) {
    CAPTURE(ratio);
    const double tile_s = ratio * communication / 64;
    model::SpmdMachine machine;
    machine.internal_tile = machine.edge_tile = {base::Seconds(tile_s), 0.0};
    machine.link = base::Seconds(communication / kTiles);
    machine.phase = {model::PowerCurve{Watts(kComputing), {}, {}}, model::PowerCurve{Watts(kComputing), {}, {}},
                     model::PowerCurve{Watts(kPolling), {}, {}}};
    const auto spent = model::spmd_iteration(program, machine, base::Hertz(1e9), kTiles);
    const sim::Prediction prediction = played(platform, tile_s);
    CHECK(prediction.time.value() == Approx(kIterations * spent.time().value()).epsilon(1e-9));
    REQUIRE(prediction.energy);
    const double core_j = model::core_energy(machine, base::Hertz(1e9), spent).value();
    CHECK(prediction.energy->value() == Approx(2 * kIterations * core_j).epsilon(1e-9));
  }
}

} // namespace overlap_test
