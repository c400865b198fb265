#include "predictor/platform/builtin.h"
#include "predictor/platform/simgrid_xml.h"

#include <catch2/catch.hpp>
#include <unit/platform/temporary_file.h>

using namespace farcast::platform;

namespace {

Platform builtin(const std::string& name) {
  const auto platform = find_platform(name);
  INFO((platform ? std::string() : platform.error().message));
  REQUIRE(platform);
  return *platform;
}

double bandwidth(const Platform& platform, const Route& route) {
  double least = platform.links[route.links.front()].bandwidth.value();
  for (const LinkId link : route.links) {
    least = std::min(least, platform.links[link].bandwidth.value());
  }
  return least;
}

// Latency and bandwidth between nodes, hosts, cores; every link shared; local messages on a shared
// loopback.
void check_shape(const Platform& platform, std::size_t hosts, int cores, double latency_s, double bytes_per_s) {
  REQUIRE(platform.hosts.size() == hosts);
  for (const Host& host : platform.hosts) {
    CHECK(host.cores == cores);
    CHECK_FALSE(host.relative_speed); // computation is taken as measured
    CHECK(host.speed.value() > 1e9);
  }
  const Route route = platform.route(0, static_cast<HostId>(hosts - 1));
  CHECK(route.links.size() == 2);
  CHECK(route.latency.value() == Approx(latency_s));
  CHECK(bandwidth(platform, route) == Approx(bytes_per_s).epsilon(1e-6));
  CHECK(platform.route(0, 0).links.size() == 1);
  for (const Link& link : platform.links) {
    CHECK(link.sharing == Sharing::shared);
  }
}

void check_infiniband(const Platform& platform) {
  CHECK(platform.p2p.tcp_gamma == 0.0);
  CHECK_FALSE(platform.p2p.crosstraffic);
  for (const double bytes : {16.0, 1000.0, 1e5, 1e7}) {
    CHECK(factor_at(platform.p2p.bandwidth_factor, bytes) == 1.0);
    CHECK(factor_at(platform.p2p.latency_factor, bytes) == 1.0);
  }
}

} // namespace

TEST_CASE("every built-in platform loads without a warning, and says where its figures come from") {
  const std::vector<BuiltinPlatform> all = builtin_platforms();
  std::vector<std::string> names;
  for (const BuiltinPlatform& entry : all) {
    names.push_back(entry.name);
    const Platform platform = builtin(entry.name);
    CHECK(platform.name == entry.name);
    CHECK(platform.description == entry.description);
    CHECK(platform.warnings.empty());
    CHECK_THAT(platform.source, Catch::Contains("assumed"));
    CHECK_THAT(entry.description, Catch::Contains("nodes of 2 x"));
    CHECK(entry.description.find('\n') == std::string::npos);
    CHECK_FALSE(builtin_xml(entry.name).empty());
    CHECK_FALSE(platform.p2p.iprobe_cost); // no source says what a poll costs there: the measured time holds
    CHECK_FALSE(platform.p2p.test_cost);
  }
  CHECK(names == std::vector<std::string>{"taurus", "galera+", "galera", "kask", "nehalem-ib"});
}

TEST_CASE("taurus has the figures of Heinrich17") {
  const Platform platform = builtin("taurus");
  check_shape(platform, 16, 12, 12e-6, 1.25e9);
  CHECK(platform.hosts[7].name == "taurus-8");
  CHECK(bandwidth(platform, platform.route(3, 3)) == 5e9); // V-B2: 40 Gbit/s
  REQUIRE(platform.has_power());
  const NodePower power = *platform.hosts[0].power;
  CHECK(power.idle.value() == 92.0);
  CHECK(power.static_active.value() == 92.0);
  CHECK(power.all_computing.value() == 214.0);
  CHECK(power.all_probing.value() == 188.0);
  CHECK(power.all_polling.value() == 188.0);
  CHECK(power.polling_assumed);
  // 2.3 GHz down to 1.2: 8 flops per cycle; the dynamic part falls as that of NAS-EP on all cores does.
  REQUIRE(platform.hosts[0].processor);
  const std::vector<ProcessorState>& states = platform.hosts[0].processor->states;
  REQUIRE(states.size() == 12);
  CHECK(states[11].speed.value() == Approx(9.6e9));
  CHECK(states[11].power->all_computing.value() == Approx(92.0 + 122.0 * (125.88 - 92) / (171.02 - 92)).margin(0.05));
  CHECK(states[5].power->all_probing.value() == Approx(92.0 + 96.0 * (146.92 - 92) / (171.02 - 92)).margin(0.05));
  CHECK(states[11].power->static_active.value() == 92.0);
  CHECK(platform.p2p.tcp_gamma == 4194304.0); // TCP over Ethernet: SimGrid's model as it is
  CHECK(factor_at(platform.p2p.latency_factor, 100) == 2.01467);
}

TEST_CASE("galera+ has the figures of Proficz16 table 3") {
  const Platform platform = builtin("galera+");
  check_shape(platform, 192, 12, 3.7e-6, 1.0 / 0.00063e-6);
  check_infiniband(platform);
  REQUIRE(platform.has_power());
  const NodePower power = *platform.hosts[191].power;
  CHECK(power.idle.value() == 78.0);
  CHECK(power.static_active.value() == 78.0);
  CHECK(power.all_computing.value() == Approx(78.0 + 12 * 4.84));
  CHECK(power.all_polling == power.all_computing);
  CHECK(power.all_probing == power.all_computing);
  CHECK(platform.hosts[191].failure_rate == farcast::base::Hertz(5.03372e-10));
  CHECK_FALSE(power.polling_assumed); // the paper: power depends on the number of threads, not on what they do
}

TEST_CASE("galera and kask have the figures of Proficz16 table 3 and no power") {
  const Platform galera = builtin("galera");
  check_shape(galera, 672, 8, 1.3e-6, 1.0 / 0.00132e-6);
  check_infiniband(galera);
  CHECK_FALSE(galera.has_power());
  const Platform kask = builtin("kask");
  check_shape(kask, 10, 4, 1.3e-6, 1.0 / 0.00181e-6);
  check_infiniband(kask);
  CHECK_FALSE(kask.has_power());
}

TEST_CASE("nehalem-ib has the figures of Kandalla10") {
  const Platform platform = builtin("nehalem-ib");
  check_shape(platform, 8, 8, 1.6e-6, 3.2e9);
  check_infiniband(platform);
  const NodePower power = *platform.hosts[0].power;
  CHECK(power.all_polling.value() == Approx(2300.0 / 8));
  CHECK_FALSE(power.polling_assumed);
  // Eq. (6) and (7) at 1.6 GHz: S + D = 1800 / 8 and S + (1 + 0.12) / 2 * D = 1600 / 8.
  const double dynamic = (1800.0 / 8 - 1600.0 / 8) / (1.0 - 1.12 / 2);
  CHECK(power.static_active.value() == Approx(1800.0 / 8 - dynamic).epsilon(1e-3));
  CHECK(power.idle == power.static_active);
}

TEST_CASE("names and paths") {
  const TemporaryFile file{std::string(builtin_xml("kask"))};
  const Platform platform = builtin(file.path());
  CHECK(platform.name == file.path());
  CHECK(platform.hosts.size() == 10);
  CHECK(find_platform("tarus").error().message ==
        "found platform 'tarus', expected a file or one of taurus, galera+, galera, kask, nehalem-ib; did you mean taurus?");
  CHECK(find_platform("galerra").error().message ==
        "found platform 'galerra', expected a file or one of taurus, galera+, galera, kask, nehalem-ib; did you mean galera or "
        "galera+?");
  CHECK(find_platform("").error().message ==
        "found platform '', expected a file or one of taurus, galera+, galera, kask, nehalem-ib");
  CHECK_THAT(find_platform("./taurus").error().message, Catch::StartsWith("./taurus: cannot be read"));
  CHECK_THAT(find_platform("mine.xml").error().message, Catch::StartsWith("mine.xml: cannot be read"));
  CHECK(builtin_xml("mine").empty());
}
