// Threads of a rank that no timeline has: their energy.
#include <catch2/catch.hpp>
#include <unit/sim/scenario.h>

namespace other_threads_test {

using namespace farcast;
using namespace scenario;

namespace {

// Hosts of 4 cores: 100 W static, 25 W more for each core that computes.
platform::Platform with_power() {
  platform::Platform platform = flat(2, kBandwidth, kLatency, 4);
  for (platform::Host& host : platform.hosts)
    host.power = platform::NodePower{Watts(90), Watts(100), Watts(200), Watts(180), Watts(160), false};
  return platform;
}

// Rank 0 computes for 4 s; rank 1 does nothing.
std::unique_ptr<Program> program_of(double others, double local_s = 0, double in_call = 0) {
  auto program = std::make_unique<Program>(2);
  program->all_init();
  program->rank(0).compute(4).local(local_s).beside(others, in_call);
  program->all_finalize();
  return program;
}

sim::Prediction played(const std::unique_ptr<Program>& program, int cpus, sim::Options options = {}) {
  platform::Placement placement = one_per_host(2);
  placement.cpus_per_rank = cpus;
  const platform::Platform platform = with_power();
  return sim::predict(*program, platform, placement, options);
}

double computing(const sim::Prediction& prediction) { return prediction.energy_parts.computing.value(); }

} // namespace

TEST_CASE("the energy of a rank counts the cores that its other threads keep busy, its time does not") {
  const sim::Prediction alone = played(program_of(0), 4);
  const sim::Prediction threaded = played(program_of(8), 4);
  CHECK(threaded.time == alone.time);
  CHECK(computing(alone) == Approx(4 * 25));
  CHECK(computing(threaded) == Approx((4 + 8) * 25));
  CHECK(threaded.energy->value() == Approx(alone.energy->value() + 8 * 25));
  CHECK(threaded.nodes[1].total == alone.nodes[1].total);
  CHECK(threaded.cpus_per_rank == 4);
  REQUIRE(threaded.other_threads.size() == 2);
  CHECK(threaded.other_threads[0].value() == Approx(8));
  CHECK(threaded.other_threads[1].value() == 0);
  CHECK(alone.other_threads.empty());
}

TEST_CASE("threads use no more cores than their rank has") {
  CHECK(computing(played(program_of(12), 3)) == Approx((4 + 2 * 4) * 25));
  const sim::Prediction one = played(program_of(12), 1);
  CHECK(computing(one) == Approx(4 * 25));
  CHECK(one.other_threads.empty());
}

TEST_CASE("other threads take as long as the computation beside them") {
  sim::Options options;
  options.relative_speed = 2;
  CHECK(computing(played(program_of(8), 4, options)) == Approx((2 + 4) * 25));
}

TEST_CASE("beside calls threads do what they did, for no longer than the call") {
  // A call at its measured time.
  CHECK(computing(played(program_of(0, 1, 0.5), 4)) == Approx((4 + 1 + 0.5) * 25));
  // Rank 0 waited for 10 s beside a thread that computed for 6, and waits for 2 now.
  const auto program = std::make_unique<Program>(2);
  program->all_init();
  program->rank(0).receive(1).took(10).beside(0, 6);
  program->rank(1).compute(2).send(0, 1).took(10).beside(0, 6); // which is over at once here
  program->all_finalize();
  const sim::Prediction prediction = played(program, 4);
  CHECK(prediction.other_threads[0].value() == Approx(6.0 * prediction.time.value() / 10).epsilon(1e-3));
  CHECK(prediction.other_threads[1].value() < 0.01);
}

} // namespace other_threads_test
