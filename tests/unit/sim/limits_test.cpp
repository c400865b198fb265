// Limits in which a prediction is known without the engine: a network that costs nothing, a clock
// that is down to half.
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace limits_test {

using namespace farcast;
using namespace scenario;

namespace {

constexpr int kRanks = 6;
constexpr int kNodes = 3; // two ranks of four cores each
constexpr int kCores = 4;
constexpr double kWork = 1e-3; // seconds of each rank in each round

Approx near(double value) { return Approx(value).epsilon(1e-9); }

// States of 2 GHz and 1 GHz, of the same watts: 100 W and per core 25 W computing, 20 W polling.
platform::Platform cluster(double bandwidth, double latency, std::optional<double> clock_share) {
  platform::Platform platform = flat(kNodes, bandwidth, latency, kCores);
  const platform::NodePower power{Watts(90), Watts(100), Watts(200), Watts(180), Watts(160), false};
  auto processor = std::make_shared<platform::Processor>();
  processor->states = {{base::FlopsPerSecond(2e9), base::Hertz(2e9), power},
                       {base::FlopsPerSecond(1e9), base::Hertz(1e9), power}};
  processor->clock_share = clock_share;
  for (platform::Host& host : platform.hosts) {
    host.power = power;
    host.processor = processor;
    host.speed = base::FlopsPerSecond(2e9);
  }
  return platform;
}

void halve_the_clock(platform::Platform& platform) {
  for (platform::Host& host : platform.hosts) {
    host.state = 1;
    host.speed = base::FlopsPerSecond(1e9);
  }
}

platform::Placement two_per_host() {
  platform::Placement placement;
  for (int rank = 0; rank < kRanks; ++rank) {
    placement.host_of.push_back(static_cast<platform::HostId>(rank / 2));
    placement.core_of.push_back(rank % 2);
  }
  return placement;
}

// Messages and collectives between computations, which take all ranks equally long if `even`.
void fill(Program& program, bool even) {
  program.all_init();
  for (int rank = 0; rank < kRanks; ++rank) {
    for (int round = 0; round < 20; ++round) {
      program.rank(rank).compute(even ? kWork : kWork * (1 + (rank + round) % 4));
      program.rank(rank).send_receive((rank + 1) % kRanks, round % 2 == 0 ? 800.0 : 3e5, (rank + kRanks - 1) % kRanks);
      program.rank(rank).compute(kWork / 2).collective(trace::CollectiveKind::allreduce, 8);
    }
  }
  program.all_finalize();
}

sim::Prediction played(const platform::Platform& platform, bool even) {
  Program program(kRanks);
  fill(program, even);
  sim::Prediction prediction = sim::predict(program, platform, two_per_host(), sim::Options{});
  REQUIRE(prediction.complete);
  return prediction;
}

double computed(const sim::Prediction& prediction, int rank) { return seconds(prediction, rank, sim::Activity::compute); }

} // namespace

TEST_CASE("on a network that costs nothing a run is its computation, in time and in joules") {
  const sim::Prediction real = played(cluster(kBandwidth, kLatency, 1.0), true);
  const sim::Prediction free = played(cluster(1e30, 0.0, 1.0), true);
  const double work = 20 * 1.5 * kWork;
  CHECK(real.time.value() > 1.1 * work);
  CHECK(free.time.value() == near(work));
  // Each node is active all the time, with two cores that compute.
  CHECK(free.energy.value().value() == near(kNodes * (100 + 2 * 25) * work));
  CHECK(free.energy_parts.computing.value() == near(kRanks * 25 * work));
  CHECK(free.energy_parts.polling.value() < 1e-9 * free.energy->value());
  CHECK(real.energy_parts.computing.value() == near(free.energy_parts.computing.value())); // the network adds waiting alone
}

TEST_CASE("at half the clock computation takes 1 + b times as long, with nobody's b twice, and draws so many times the joules") {
  const std::optional<double> share = GENERATE(std::optional<double>(), 1.0, 0.5, 0.0);
  const bool even = GENERATE(true, false);
  platform::Platform platform = cluster(kBandwidth, kLatency, share);
  const sim::Prediction full = played(platform, even);
  halve_the_clock(platform);
  const sim::Prediction half = played(platform, even);
  const double longer = 1 + share.value_or(1.0);
  for (int rank = 0; rank < kRanks; ++rank) CHECK(computed(half, rank) == near(longer * computed(full, rank)));
  CHECK(half.energy_parts.computing.value() == near(longer * full.energy_parts.computing.value()));
  if (longer == 1) CHECK(half.time == full.time);
}

TEST_CASE("half the clock doubles the computation of a whole run where the network costs nothing") {
  platform::Platform platform = cluster(1e30, 0.0, 1.0);
  const sim::Prediction full = played(platform, true);
  halve_the_clock(platform);
  const sim::Prediction half = played(platform, true);
  CHECK(half.time.value() == near(2 * full.time.value()));
  CHECK(half.energy.value().value() == near(2 * full.energy.value().value()));
}

} // namespace limits_test
