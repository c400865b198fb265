// Processes of other hosts than the first leave MPI_Init later: by the latency of the way to them
// and a little by chance.
#include "predictor/sim/launch.h"

#include "unit/sim/channels.h"

namespace launch_test {

using namespace scenario;
using sim::Activity;

namespace {

sim::Prediction begin_of(int hosts, std::uint64_t seed, const platform::Platform& platform) {
  Program program(hosts);
  program.all_init();
  for (int rank = 0; rank < hosts; ++rank) program.rank(rank).compute(1.0);
  program.all_finalize();
  sim::Options options;
  options.seed = seed;
  return play_with(program, platform, options);
}

} // namespace

TEST_CASE("launch: who is on another host begins a latency later, and waits until then") {
  for (const std::uint64_t seed : {1U, 2U, 99U}) {
    const sim::Prediction result = begin_of(3, seed, connected(3));
    CHECK(seconds(result, 0, Activity::waiting) == 0);
    double most = 0;
    for (const int rank : {1, 2}) {
      const double late = seconds(result, rank, Activity::waiting);
      CHECK(late >= kWay);
      CHECK(late <= kWay + sim::kDaemonNoise);
      most = std::max(most, late);
    }
    CHECK(seconds(result, 1, Activity::waiting) != seconds(result, 2, Activity::waiting));
    CHECK(result.time.value() == near(1.0 + most));
  }
}

TEST_CASE("launch: nothing is late where nothing is left to chance, or with flows") {
  CHECK(begin_of(2, 0, connected(2)).time.value() == 1.0);
  CHECK(begin_of(2, 1, flat(2)).time.value() == 1.0);
}

TEST_CASE("launch: processes of one host begin together") {
  platform::Platform platform = connected(2);
  Program program(4);
  program.all_init();
  program.all_finalize();
  platform::Placement placement = one_per_host(4);
  placement.host_of = {0, 0, 1, 1};
  sim::Options options;
  options.seed = 5;
  const sim::Prediction result = sim::predict(program, platform, placement, options);
  CHECK(seconds(result, 1, Activity::waiting) == 0);
  CHECK(seconds(result, 2, Activity::waiting) > kWay);
  CHECK(seconds(result, 2, Activity::waiting) == seconds(result, 3, Activity::waiting));
}

} // namespace launch_test
