#include "predictor/host/compute.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::host;

TEST_CASE("corrected time = measured * factor / relative speed") {
  CHECK(corrected_compute(base::Seconds(6), 1.0, 1.0).value() == 6.0);
  CHECK(corrected_compute(base::Seconds(6), 1.5, 1.0).value() == 9.0);
  CHECK(corrected_compute(base::Seconds(6), 1.0, 2.0).value() == 3.0);
  CHECK(corrected_compute(base::Seconds(6), 0.5, 3.0).value() == 1.0);
  CHECK(corrected_compute(base::Seconds(0), 2.0, 3.0).value() == 0.0);
}

TEST_CASE("the option wins over the host, the host over 1") {
  platform::Host host;
  host.speed = base::FlopsPerSecond(5e9); // not used: computation is as fast as measured
  CHECK(relative_speed(host, std::nullopt) == 1.0);
  host.relative_speed = 0.8;
  CHECK(relative_speed(host, std::nullopt) == 0.8);
  CHECK(relative_speed(host, 2.0) == 2.0);
}

TEST_CASE("a sentence says which") {
  platform::Platform platform;
  platform.name = "p";
  platform.hosts.resize(2);
  CHECK(describe_compute_speed(platform, std::nullopt) ==
        "cores are as fast as measured (neither --relative-speed nor platform p says otherwise)");
  CHECK(describe_compute_speed(platform, 1.25) == "cores are 1.25 times as fast as measured (--relative-speed)");
  platform.hosts[0].relative_speed = 0.5;
  CHECK(describe_compute_speed(platform, std::nullopt) ==
        "cores are 0.5 to 1 times as fast as measured (farcast:relative_speed of platform p)");
  platform.hosts[1].relative_speed = 0.5;
  CHECK(describe_compute_speed(platform, std::nullopt) ==
        "cores are 0.5 times as fast as measured (farcast:relative_speed of platform p)");
}
