#include "predictor/host/compute.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::host;

TEST_CASE("corrected time = measured / relative speed") {
  CHECK(corrected_compute(base::Seconds(6), 1.0).value() == 6.0);
  CHECK(corrected_compute(base::Seconds(6), 2.0).value() == 3.0);
  CHECK(corrected_compute(base::Seconds(0), 3.0).value() == 0.0);
}

TEST_CASE("the option wins over the host, the host over 1") {
  platform::Host host;
  host.speed = base::FlopsPerSecond(5e9); // not used: computation is as fast as measured
  CHECK(relative_speed(host, std::nullopt) == 1.0);
  host.relative_speed = 0.8;
  CHECK(relative_speed(host, std::nullopt) == 0.8);
  CHECK(relative_speed(host, 2.0) == 2.0);
}

TEST_CASE("whose figure holds is told, and of hosts that differ both ends") {
  using Source = ComputeSpeed::Source;
  platform::Platform platform;
  platform.hosts.resize(2);
  CHECK(compute_speed(platform, std::nullopt).source == Source::nobody);
  const ComputeSpeed asked = compute_speed(platform, 1.25);
  CHECK(asked.source == Source::option);
  CHECK(asked.slowest == 1.25);
  platform.hosts[0].relative_speed = 0.5;
  const ComputeSpeed mixed = compute_speed(platform, std::nullopt);
  CHECK(mixed.source == Source::platform);
  CHECK(mixed.slowest == 0.5);
  CHECK(mixed.fastest == 1.0);
  platform.hosts[1].relative_speed = 0.5;
  CHECK(compute_speed(platform, std::nullopt).fastest == 0.5);
  CHECK(compute_speed(platform, 2.0).source == Source::option);
}
