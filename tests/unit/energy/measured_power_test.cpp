// Measured watts in place of a platform's: by the clock of each host.
#include "predictor/energy/measured_power.h"
#include "predictor/platform/clock_share.h"

#include <catch2/catch.hpp>

using namespace farcast;
using base::Hertz;
using base::Watts;

namespace {

const std::vector<model::PowerState> kStates{{Hertz(1e9), Watts(30), Watts(40), {Watts(80), Watts(64), Watts(60)}},
                                             {Hertz(2e9), Watts(60), Watts(80), {Watts(160), Watts(128), Watts(120)}}};

// Hosts of 4 cores with states of 2 and 1.5 GHz, in the state given; the first names no frequencies.
platform::Platform platform_in(std::size_t state) {
  platform::Platform platform;
  platform.hosts.resize(3);
  const auto processor = std::make_shared<const platform::Processor>(
      platform::Processor{{{base::FlopsPerSecond(8e9), Hertz(2e9), {}}, {base::FlopsPerSecond(6e9), Hertz(1.5e9), {}}}, {}});
  for (platform::Host& host : platform.hosts) {
    host.cores = 4;
    host.name = "n";
  }
  platform.hosts[1].processor = platform.hosts[2].processor = processor;
  platform.hosts[1].state = platform.hosts[2].state = state;
  return platform;
}

} // namespace

TEST_CASE("each host takes the watts of its clock, interpolated between those that were measured") {
  platform::Platform platform = platform_in(1);
  REQUIRE(energy::use_measured_power(platform, {kStates, 4, false}));
  for (const std::size_t host : {1U, 2U}) {
    CHECK(platform.hosts[host].power->idle.value() == Approx(45));
    CHECK(platform.hosts[host].power->static_active.value() == Approx(60));
    CHECK(platform.hosts[host].power->all_computing.value() == Approx(120));
    CHECK(platform.hosts[host].power->all_polling.value() == Approx(96));
    CHECK(platform.hosts[host].power->all_probing.value() == Approx(90));
    CHECK(platform.hosts[host].power->polling_assumed);
  }
  CHECK(platform.hosts[0].power->all_computing.value() == 160); // no clock is named: the highest
  CHECK_FALSE(platform.hosts[0].power->all_memory);
  CHECK(platform.hosts[1].processor == platform.hosts[2].processor);
  CHECK(platform.hosts[1].processor->states[0].power->all_computing.value() == Approx(160));
  CHECK(platform.hosts[1].processor->states[1].power->all_computing.value() == Approx(120));
}

TEST_CASE("watts of memory-bound computing are taken where they were measured") {
  platform::Platform platform = platform_in(0);
  std::vector<model::PowerState> states(kStates.begin(), kStates.end());
  states.back().all_active[static_cast<std::size_t>(model::Workload::memory)] = base::Watts(140);
  REQUIRE(energy::use_measured_power(platform, {states, 4, true, true}));
  CHECK(platform.hosts[0].power->all_memory->value() == 140);
}

TEST_CASE("a node of another size, or another clock, is refused, and nothing is changed") {
  platform::Platform platform = platform_in(0);
  platform.hosts[2].cores = 8;
  const auto size = energy::use_measured_power(platform, {kStates, 4, true});
  REQUIRE_FALSE(size);
  CHECK(size.error().message == "found the watts of a node of 4 cores, expected 8, as host n has");
  platform.hosts[2].cores = 4;
  const auto clock = energy::use_measured_power(platform, {std::span(kStates).subspan(0, 1), 4, true});
  REQUIRE_FALSE(clock);
  CHECK(clock.error().message.find("2 GHz is not known") != std::string::npos);
  for (const platform::Host& host : platform.hosts) CHECK_FALSE(host.power);
}

TEST_CASE("a state that the host is not in has no watts where its clock was not measured") {
  platform::Platform platform = platform_in(0);
  const auto slow = std::make_shared<platform::Processor>(*platform.hosts[1].processor);
  slow->states[1].frequency = Hertz(0.5e9);
  slow->states[1].power = platform::NodePower{Watts(1), Watts(1), Watts(1), Watts(1), Watts(1), false};
  platform.hosts[1].processor = slow;
  REQUIRE(energy::use_measured_power(platform, {kStates, 4, true}));
  CHECK(platform.hosts[1].processor->states[0].power);
  CHECK_FALSE(platform.hosts[1].processor->states[1].power);
}

TEST_CASE("the share of the clock is set for all hosts, which still share their processors") {
  platform::Platform platform = platform_in(1);
  const auto before = platform.hosts[1].processor;
  platform::set_clock_share(platform, 0.25);
  CHECK(platform.hosts[0].processor == nullptr);
  CHECK(platform.hosts[1].processor == platform.hosts[2].processor);
  CHECK(platform.hosts[1].processor->clock_share == 0.25);
  CHECK(platform.hosts[1].processor->states.size() == 2);
  CHECK_FALSE(before->clock_share);
}
