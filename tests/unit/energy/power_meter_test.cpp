#include "predictor/energy/power_meter.h"
#include "predictor/platform/builtin.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::energy;
using base::Joules;
using base::Seconds;
using base::Watts;

namespace {

// idle 50, static 60, all four cores computing 100 (10 a core), polling 92 (8 a core), probing 84
// (6 a core).
const platform::NodePower kPower{Watts(50), Watts(60), Watts(100), Watts(92), Watts(84), false};
constexpr int kCores = 4;

platform::Platform hosts(std::size_t count) {
  platform::Platform platform;
  for (std::size_t i = 0; i < count; ++i) {
    platform::Host host;
    host.cores = kCores;
    host.power = kPower;
    platform.hosts.push_back(host);
  }
  return platform;
}

} // namespace

TEST_CASE("Heinrich17 eq. (1): power of a node by its active cores") {
  const auto watts = [](int computing, int polling, int probing) {
    platform::Host host;
    host.cores = kCores;
    host.power = kPower;
    return node_power(host, {kCores - computing - polling - probing, computing, polling, probing}).value();
  };
  CHECK(watts(0, 0, 0) == 50.0); // idle, not static
  CHECK(watts(1, 0, 0) == 60.0 + 1 * 10.0);
  CHECK(watts(2, 0, 0) == 60.0 + 2 * 10.0);
  CHECK(watts(4, 0, 0) == 100.0);
  CHECK(watts(0, 4, 0) == 92.0);
  CHECK(watts(0, 0, 4) == 84.0);
  CHECK(watts(1, 1, 1) == 60.0 + 10.0 + 8.0 + 6.0);
}

TEST_CASE("Heinrich17 V-C2: a full node of taurus") {
  platform::Host taurus;
  taurus.cores = 12;
  taurus.power = platform::NodePower{Watts(92), Watts(92), Watts(214), Watts(188), Watts(188), true};
  CHECK(node_power(taurus, {0, 12, 0, 0}).value() == Approx(214.0));
  CHECK(node_power(taurus, {0, 0, 0, 12}).value() == Approx(188.0));
  CHECK(node_power(taurus, {6, 6, 0, 0}).value() == Approx(92.0 + 0.5 * (214.0 - 92.0)));
  CHECK(node_power(taurus, {12, 0, 0, 0}).value() == 92.0);
}

TEST_CASE("Kandalla10 VII-D, per node: 287.5 W polling, 225 W at the lowest clock, 200 W throttled half of the time") {
  const auto found = platform::find_platform("nehalem-ib");
  REQUIRE(found);
  const auto watts = [&](CoreState state) {
    std::array<int, kCoreStates> cores{};
    cores[static_cast<std::size_t>(state)] = 8;
    return node_power(found->hosts.front(), cores).value();
  };
  CHECK(watts(CoreState::polling) == Approx(287.5));
  CHECK(watts(CoreState::slowed) == Approx(225.0));
  CHECK(watts(CoreState::half_throttled) == Approx(200.0).margin(0.05)); // the file's figures have one digit
  CHECK(watts(CoreState::throttled_t7) == Approx(168.2 + 0.12 * 56.8));
  CHECK(watts(CoreState::throttled_t4) == Approx(168.2 + 0.5 * 56.8));
}

TEST_CASE("nothing happens: idle power") {
  const platform::Platform platform = hosts(1);
  const Energy energy = PowerMeter(platform, {0}).finish(Seconds(10));
  CHECK(energy.total.value() == 500.0);
  CHECK(energy.parts.baseline.value() == 500.0);
  REQUIRE(energy.nodes.size() == 1);
  CHECK(energy.nodes[0].idle.value() == 10.0);
}

TEST_CASE("energy is the integral of the power") {
  const platform::Platform platform = hosts(1);
  PowerMeter meter(platform, {0});
  meter.set(0, 0, CoreState::computing, Seconds(1)); // [0, 1) idle
  meter.set(0, 1, CoreState::computing, Seconds(2)); // [1, 2) one computes
  meter.set(0, 0, CoreState::polling, Seconds(4));   // [2, 4) two compute
  meter.set(0, 1, CoreState::probing, Seconds(5));   // [4, 5) one polls, one computes
  meter.set(0, 0, CoreState::idle, Seconds(8));      // [5, 8) one polls, one probes
  meter.set(0, 1, CoreState::idle, Seconds(10));     // [8, 10) one probes
  const Energy energy = meter.finish(Seconds(14));   // [10, 14) idle
  CHECK(energy.total.value() == Approx(50 + 70 + 2 * 80 + 78 + 3 * 74 + 2 * 66 + 4 * 50.0));
  CHECK(energy.parts.baseline.value() == Approx(50 * 5 + 60 * 9.0));
  CHECK(energy.parts.computing.value() == Approx(10.0 * (1 + 2 * 2 + 1)));
  CHECK(energy.parts.polling.value() == Approx(8.0 * (1 + 3)));
  CHECK(energy.parts.probing.value() == Approx(6.0 * (3 + 2)));
  CHECK(energy.nodes[0].idle.value() == Approx(5.0));
  CHECK(energy.nodes[0].total == energy.total);
  CHECK(energy.total == energy.parts.total());
}

TEST_CASE("only used hosts are counted, each once, by host") {
  const platform::Platform platform = hosts(4);
  PowerMeter meter(platform, {2, 0, 2, 2});
  meter.set(2, 3, CoreState::computing, Seconds(0));
  const Energy energy = meter.finish(Seconds(1));
  REQUIRE(energy.nodes.size() == 2);
  CHECK(energy.nodes[0].host == 0);
  CHECK(energy.nodes[0].total.value() == 50.0);
  CHECK(energy.nodes[1].host == 2);
  CHECK(energy.nodes[1].total.value() == 70.0);
  CHECK(energy.total.value() == 120.0);
  CHECK(PowerMeter(platform, {}).finish(Seconds(1)).total.value() == 0.0);
}

TEST_CASE("an unused host needs no figures") {
  platform::Platform platform = hosts(2);
  platform.hosts[1].power.reset();
  CHECK(PowerMeter(platform, {0}).finish(Seconds(2)).total.value() == 100.0);
}

TEST_CASE("the same state again, and changes within one instant, cost nothing") {
  const platform::Platform platform = hosts(1);
  PowerMeter meter(platform, {0});
  meter.set(0, 0, CoreState::computing, Seconds(0));
  meter.set(0, 0, CoreState::computing, Seconds(3));
  meter.set(0, 0, CoreState::polling, Seconds(5));
  meter.set(0, 0, CoreState::probing, Seconds(5));
  meter.set(0, 0, CoreState::computing, Seconds(5));
  const Energy energy = meter.finish(Seconds(10));
  CHECK(energy.total.value() == Approx(700.0));
  CHECK(energy.parts.polling.value() == 0.0);
  CHECK(energy.parts.probing.value() == 0.0);
}

TEST_CASE("finish changes nothing") {
  const platform::Platform platform = hosts(1);
  PowerMeter meter(platform, {0}, Seconds(100));
  meter.set(0, 0, CoreState::computing, Seconds(100));
  CHECK(meter.finish(Seconds(100)).total.value() == 0.0);
  CHECK(meter.finish(Seconds(101)).total.value() == 70.0);
  CHECK(meter.finish(Seconds(101)).total.value() == 70.0);
  meter.set(0, 0, CoreState::idle, Seconds(102));
  CHECK(meter.finish(Seconds(103)).total.value() == 190.0);
}

TEST_CASE("many changes add up like few") {
  const platform::Platform platform = hosts(1);
  PowerMeter meter(platform, {0});
  constexpr int kChanges = 100000;
  for (int i = 0; i < kChanges; ++i) {
    meter.set(0, i % kCores, i % 2 == 0 ? CoreState::computing : CoreState::polling, Seconds(i * 1e-3));
  }
  // After the first four changes cores 0 and 2 compute, 1 and 3 poll: 60 + 2 * 10 + 2 * 8 = 96 W.
  const double expected = 1e-3 * (70 + 78 + 88) + (kChanges * 1e-3 - 3e-3) * 96;
  CHECK(meter.finish(Seconds(kChanges * 1e-3)).total.value() == Approx(expected).epsilon(1e-12));
}

TEST_CASE("cores beside those that are followed add their seconds, whenever they were active") {
  const platform::Platform platform = hosts(2);
  PowerMeter meter(platform, {0, 1});
  meter.set(0, 0, CoreState::computing, Seconds(0));
  meter.add(0, CoreState::computing, Seconds(3));
  meter.add(0, CoreState::computing, Seconds(2.5));
  const Energy energy = meter.finish(Seconds(4));
  CHECK(energy.nodes[0].total.value() == Approx(60 * 4 + 10 * (4 + 5.5)));
  CHECK(energy.parts.computing.value() == Approx(95.0));
  CHECK(energy.nodes[1].total.value() == Approx(50 * 4));
}
