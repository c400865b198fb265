#include "predictor/host/compute.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::host;

TEST_CASE("corrected time = measured / relative speed") {
  CHECK(corrected_compute(base::Seconds(6), 1.0).value() == 6.0);
  CHECK(corrected_compute(base::Seconds(6), 2.0).value() == 3.0);
  CHECK(corrected_compute(base::Seconds(0), 3.0).value() == 0.0);
}

namespace {

platform::Host host_of(double speed) {
  platform::Host host;
  host.speed = base::FlopsPerSecond(speed);
  return host;
}

// Speeds of 10 and 5 Gflop/s at 2 and 1 GHz.
platform::Host two_states(std::size_t state, std::optional<double> clock_share, bool named = true) {
  platform::Processor processor;
  for (const double ghz : {2.0, 1.0}) {
    platform::ProcessorState& one = processor.states.emplace_back();
    one.speed = base::FlopsPerSecond(5e9 * ghz);
    if (named) one.frequency = base::Hertz(1e9 * ghz);
  }
  processor.clock_share = clock_share;
  platform::Host host = host_of(processor.states[state].speed.value());
  host.state = state;
  host.processor = std::make_shared<const platform::Processor>(std::move(processor));
  return host;
}

double speed_of(const platform::Platform& platform, std::size_t host, const AskedSpeed& asked = {}) {
  return Speeds(platform, asked).of(platform.hosts[host]);
}

} // namespace

TEST_CASE("the option wins over the host's figure, that over its speed, and the first host is as fast as measured") {
  platform::Platform platform;
  platform.hosts = {host_of(5e9), host_of(5e9), host_of(2.5e9)};
  CHECK(speed_of(platform, 0) == 1.0);
  CHECK(speed_of(platform, 1) == 1.0);
  CHECK(speed_of(platform, 2) == 0.5);
  platform.hosts[0].relative_speed = 0.8;
  CHECK(speed_of(platform, 0) == 0.8);
  CHECK(speed_of(platform, 2) == 0.5); // of the first host whose figure nobody says
  CHECK(speed_of(platform, 0, {2.0, {}}) == 2.0);
  CHECK(speed_of(platform, 2, {2.0, {}}) == 2.0);
}

TEST_CASE("speeds are those of the measuring machine's, where somebody says how fast that is") {
  platform::Platform platform;
  platform.hosts = {host_of(5e9), host_of(2.5e9)};
  platform.measuring_speed = base::FlopsPerSecond(10e9);
  CHECK(speed_of(platform, 0) == 0.5);
  CHECK(speed_of(platform, 1, {{}, base::FlopsPerSecond(2.5e9)}) == 1.0); // the option wins
}

TEST_CASE("a processor state acts by the law of the clock, once") {
  platform::Platform platform;
  platform.hosts = {two_states(0, {}), two_states(1, {}), two_states(1, 0.5), two_states(1, {}, false), two_states(1, 0.0)};
  CHECK(speed_of(platform, 0) == 1.0);
  CHECK(speed_of(platform, 1) == 0.5);       // and not a quarter
  CHECK(speed_of(platform, 2) == 1.0 / 1.5); // 1 + 0.5 (2 / 1 - 1)
  CHECK(speed_of(platform, 3) == 0.5);       // by speeds, as no frequencies are named
  CHECK(speed_of(platform, 4) == 1.0);       // the clock rules nothing
  CHECK(speed_of(platform, 1, {3.0, {}}) == 1.5);
  platform.hosts[1].relative_speed = 4.0; // of the first state
  CHECK(speed_of(platform, 1) == 2.0);
  const AskedSpeed trace{{}, {}, true}; // computations have it already
  for (std::size_t host = 0; host < platform.hosts.size(); ++host) CHECK(speed_of(platform, host, trace) == 1.0);
}

TEST_CASE("whose figure holds is told, and of hosts that differ both ends") {
  using Source = ComputeSpeed::Source;
  const auto summary = [](const platform::Platform& platform, const AskedSpeed& asked = {}) {
    return Speeds(platform, asked).summary();
  };
  platform::Platform platform;
  platform.hosts = {host_of(5e9), host_of(5e9)};
  CHECK(summary(platform).source == Source::nobody);
  CHECK(summary(platform, {1.25, {}}).source == Source::option);
  CHECK(summary(platform, {1.25, {}}).slowest == 1.25);
  CHECK(summary(platform, {{}, base::FlopsPerSecond(5e9)}).source == Source::machine);
  CHECK(summary(platform, {{}, {}, true}).source == Source::trace);
  platform.hosts[1] = host_of(2.5e9);
  platform.hosts[0].name = "n0";
  const ComputeSpeed by_speeds = summary(platform);
  CHECK(by_speeds.source == Source::first_host);
  CHECK(by_speeds.first_host == "n0");
  CHECK(by_speeds.slowest == 0.5);
  CHECK(by_speeds.fastest == 1.0);
  platform.measuring_speed = base::FlopsPerSecond(5e9);
  CHECK(summary(platform).source == Source::configured);
  CHECK(summary(platform).first_host.empty());
  platform.hosts[0].relative_speed = 0.25;
  CHECK(summary(platform).source == Source::platform);
  CHECK(summary(platform).slowest == 0.25);
  CHECK(summary(platform, {2.0, {}}).source == Source::option);
}

TEST_CASE("the frequency is told where hosts have several, and that the clock is taken to rule all") {
  platform::Platform platform;
  platform.hosts = {two_states(1, {}), two_states(1, {})};
  ComputeSpeed summary = Speeds(platform, {}).summary();
  REQUIRE(summary.frequency);
  CHECK(summary.frequency->value() == 1e9);
  CHECK(summary.clock_assumed);
  CHECK(summary.source == ComputeSpeed::Source::first_host);
  platform.hosts = {two_states(0, {}), two_states(1, 0.5)};
  summary = Speeds(platform, {}).summary();
  CHECK_FALSE(summary.frequency);
  CHECK_FALSE(summary.clock_assumed);
}
