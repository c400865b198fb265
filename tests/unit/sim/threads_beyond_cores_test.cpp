// Nodes with more ranks than cores: Proficz16's formulas of computation and power, at every number
// of threads, and what becomes of the joules.
#include "predictor/model/thread_formulas.h"
#include "predictor/platform/builtin.h"
#include "predictor/sim/power_series.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <tuple>

namespace threads_beyond_cores_test {

using namespace farcast;
using namespace scenario;

namespace {

Approx near(double value) { return Approx(value).epsilon(1e-9); }

struct Placed {
  platform::Platform platform;
  platform::Placement placement;
};

// One node of the built-in platform with so many ranks.
Placed ranks_on(const std::string& name, int ranks) {
  auto found = platform::find_platform(name);
  REQUIRE(found);
  platform::PlacementRequest request;
  request.ranks_per_node = ranks;
  auto placement = platform::place(*found, ranks, request);
  REQUIRE(placement);
  platform::add_threads(*found, *placement);
  return {std::move(*found), std::move(*placement)};
}

// Rank r computes for work(r) seconds as measured.
template <class Work> sim::Prediction played(const Placed& placed, int ranks, Work work, sim::Observer* observer = nullptr) {
  Program program(ranks);
  program.all_init();
  for (int rank = 0; rank < ranks; ++rank) program.rank(rank).compute(work(rank));
  program.all_finalize();
  sim::Prediction out = sim::predict(program, placed.platform, placed.placement, {}, nullptr, observer);
  REQUIRE(out.complete);
  return out;
}

} // namespace

TEST_CASE("Galera+ computes and draws by the number of threads, as its table has them") {
  // Table 3: T_min, T_low, T_hi and K_hi in ns; watts by hand from PW and KW, 151 at most.
  for (const auto& [ranks, slower, watts] :
       {std::tuple(1, 1.0, 82.84), std::tuple(12, 1.0, 136.08), std::tuple(13, 1.94 / 1.65, 133.7),
        std::tuple(24, 1.94 / 1.65, 151.0), std::tuple(25, (0.329 + 25 * 0.0796) / 1.65, 151.0),
        std::tuple(48, (0.329 + 48 * 0.0796) / 1.65, 151.0)}) {
    CAPTURE(ranks);
    const Placed placed = ranks_on("galera+", ranks);
    const sim::Prediction prediction = played(placed, ranks, [](int) { return 2.0; });
    CHECK(prediction.time.value() == near(2.0 * slower));
    CHECK(prediction.energy.value().value() == near(2.0 * slower * watts));
    CHECK(prediction.nodes_used == 1);
    CHECK(placed.platform.warnings.empty() == (ranks <= 12));
  }
}

TEST_CASE("threads that are done no longer slow the others down, and joules are shared as they are drawn") {
  constexpr int kRanks = 30;
  const Placed placed = ranks_on("galera+", kRanks);
  sim::PowerSeries series(placed.platform, placed.placement, 1000);
  const sim::Prediction prediction = played(
      placed, kRanks, [](int rank) { return rank < 18   ? 1.0
                                            : rank < 25 ? 2.0
                                                        : 3.0; }, &series);
  // 30 threads until 1 s of each is done; the 12 that are left have cores of their own.
  const double together = (0.329 + 30 * 0.0796) / 1.65;
  CHECK(prediction.time.value() == near(together + 2.0));
  const double joules = 151 * together + (78 + 12 * 4.84) * 1.0 + (78 + 5 * 4.84) * 1.0;
  CHECK(prediction.energy.value().value() == near(joules));
  CHECK(prediction.energy_parts.baseline.value() == near(78 * prediction.time.value()));
  CHECK(prediction.energy_parts.computing.value() == near(joules - 78 * prediction.time.value()));
  double of_ranks = prediction.idle_energy.value();
  for (const sim::RankTimes& rank : prediction.ranks) of_ranks += rank.energy.value();
  CHECK(of_ranks == near(joules));
  CHECK(prediction.ranks[0].energy.value() == near(151 * together / 30));
  REQUIRE(series.nodes().size() == 1);
  CHECK(energy::integral_of(series.nodes()[0].watts, series.end_s()) == near(joules));
}

TEST_CASE("clusters without watts of threads have times alone, and those without hyper-threads no middle piece") {
  const sim::Prediction galera = played(ranks_on("galera", 9), 9, [](int) { return 1.0; });
  CHECK(galera.time.value() == near((0.116 + 9 * 0.235) / 1.9));
  CHECK_FALSE(galera.energy);
  CHECK(played(ranks_on("kask", 8), 8, [](int) { return 1.0; }).time.value() == near(3.4 / 3.3));
  // Watts of eq. (1) say nothing of more threads than cores.
  auto no_watts = platform::find_platform("galera+");
  auto processor = std::make_shared<platform::Processor>(*no_watts->hosts[0].processor);
  processor->threads->power.reset();
  for (platform::Host& host : no_watts->hosts) host.processor = processor;
  platform::PlacementRequest request;
  request.ranks_per_node = 13;
  auto placement = platform::place(*no_watts, 26, request);
  REQUIRE(placement);
  platform::add_threads(*no_watts, *placement);
  CHECK_FALSE(no_watts->hosts[1].power);
  CHECK(no_watts->hosts[2].power); // has no ranks
  REQUIRE(no_watts->warnings.size() == 1);
  CHECK_THAT(no_watts->warnings[0], Catch::Contains("13 threads on the 12 cores of galera-plus-1 take 1.176 times as long") &&
                                        Catch::Contains("not known"));
}

} // namespace threads_beyond_cores_test
