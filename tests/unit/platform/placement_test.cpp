#include "predictor/platform/cluster.h"
#include "predictor/platform/hostfile.h"
#include "predictor/platform/placement.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <unit/platform/temporary_file.h>

using namespace farcast;
using namespace farcast::platform;

namespace {

// Hosts n1 ... n4 of 3 cores.
Platform four_hosts() {
  Cluster cluster;
  cluster.id = std::string("c");
  cluster.prefix = std::string("n");
  cluster.radicals = {1, 2, 3, 4};
  cluster.speed = base::FlopsPerSecond(1e9);
  cluster.cores = 3;
  cluster.bandwidth = base::BytesPerSecond(1e9);
  Platform platform = build_platform(cluster);
  platform.name = std::string("four");
  return platform;
}

using Hosts = std::vector<HostId>;
using Cores = std::vector<int>;

Placement placed(int ranks, const PlacementRequest& request = {}) {
  const auto placement = place(four_hosts(), ranks, request);
  INFO((placement ? std::string() : placement.error().message));
  REQUIRE(placement);
  return *placement;
}

std::string refused(int ranks, const PlacementRequest& request) {
  const auto placement = place(four_hosts(), ranks, request);
  REQUIRE_FALSE(placement);
  return placement.error().message;
}

// Host numbers and slots, flattened.
std::vector<std::pair<HostId, int>> slots(const std::string& text) {
  const auto parsed = parse_hostfile(text, "h", four_hosts());
  INFO((parsed ? std::string() : parsed.error().message));
  REQUIRE(parsed);
  std::vector<std::pair<HostId, int>> result;
  for (const HostSlots& entry : *parsed) {
    result.emplace_back(entry.host, entry.slots);
  }
  return result;
}

using Slots = std::vector<std::pair<HostId, int>>;

std::string hostfile_error(const std::string& text) {
  const auto parsed = parse_hostfile(text, "h", four_hosts());
  REQUIRE_FALSE(parsed);
  return parsed.error().message;
}

} // namespace

TEST_CASE("blocks fill each host's cores") {
  const Placement placement = placed(7);
  CHECK(placement.host_of == Hosts{0, 0, 0, 1, 1, 1, 2});
  CHECK(placement.core_of == Cores{0, 1, 2, 0, 1, 2, 0});
  CHECK(placement.description == "blocks of up to 3 ranks per node on 3 of 4 nodes");
  CHECK(placed(12).description == "blocks of 3 ranks per node on 4 of 4 nodes");
  CHECK(placed(1).description == "blocks of 1 rank per node on 1 of 4 nodes");
}

TEST_CASE("--ppn limits the blocks") {
  const Placement placement = placed(5, {2, false, ""});
  CHECK(placement.host_of == Hosts{0, 0, 1, 1, 2});
  CHECK(placement.core_of == Cores{0, 1, 0, 1, 0});
}

TEST_CASE("--map-by node goes round the hosts") {
  const Placement placement = placed(6, {0, true, ""});
  CHECK(placement.host_of == Hosts{0, 1, 2, 3, 0, 1});
  CHECK(placement.core_of == Cores{0, 0, 0, 0, 1, 1});
  CHECK(placement.description == "round robin, up to 2 ranks per node, over 4 of 4 nodes");
  CHECK(placed(12, {0, true, ""}).core_of == Cores{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(placed(8, {2, true, ""}).host_of == Hosts{0, 1, 2, 3, 0, 1, 2, 3});
}

TEST_CASE("too few cores") {
  CHECK(refused(13, {}) == "placement: found 12 cores on 4 hosts of platform four, expected at least 13, one for each rank");
  CHECK(refused(5, {1, false, ""}) ==
        "placement: found 4 cores on 4 hosts of platform four with 1 ranks per node, expected at least 5, one for each rank");
  CHECK(refused(9, {2, true, ""}) ==
        "placement: found 8 cores on 4 hosts of platform four with 2 ranks per node, expected at least 9, one for each rank");
  CHECK(refused(2, {4, false, ""}) ==
        "placement: found 4 ranks per node, expected at most 3: host n1 of platform four has 3 cores");
  CHECK(refused(0, {}) == "placement: found 0 ranks, expected at least 1");
  CHECK(refused(2, {-1, false, ""}) == "placement: found -1 ranks per node, expected at least 1");
}

TEST_CASE("--cpus-per-rank gives each rank cores of its own") {
  Platform platform = four_hosts();
  for (Host& host : platform.hosts) host.cores = 4;
  platform.hosts[1].cores = 1; // has no room for a rank of two
  PlacementRequest request;
  request.cpus_per_rank = 2;
  const Placement placement = *place(platform, 5, request);
  CHECK(placement.host_of == Hosts{0, 0, 2, 2, 3});
  CHECK(placement.core_of == Cores{0, 2, 0, 2, 0});
  CHECK(placement.cpus_per_rank == 2);
  CHECK(placement.description == "blocks of up to 2 ranks of 2 cores each per node on 3 of 4 nodes");
  request.round_robin = true;
  CHECK(place(platform, 5, request)->host_of == Hosts{0, 2, 3, 0, 2});
  CHECK(place(platform, 7, request).error().message ==
        "placement: found room for 6 ranks of 2 cores each on 4 hosts of platform four, expected at least 7");
  request.ranks_per_node = 3;
  CHECK(place(four_hosts(), 2, request).error().message ==
        "placement: found 3 ranks per node of 2 cores each, expected at most 1: host n1 of platform four has 3 cores");
}

TEST_CASE("without it ranks have the cores that their threads used, or as many of them as there is room for") {
  PlacementRequest request;
  request.cpus_seen = 3;
  const Placement placement = placed(2, request);
  CHECK(placement.host_of == Hosts{0, 1});
  CHECK(placement.cpus_per_rank == 3);
  CHECK(placement.description == "blocks of 1 rank of 3 cores each per node on 2 of 4 nodes (as many as their threads used; "
                                 "--cpus-per-rank says otherwise)");
  request.ranks_per_node = 2;
  CHECK(refused(2, request) ==
        "placement: found 2 ranks per node of 3 cores each (as many as their threads used; --cpus-per-rank "
        "says otherwise), expected at most 1: host n1 of platform four has 3 cores");
  request.fewer_cpus = true;
  CHECK(placed(2, request).host_of == Hosts{0, 0});
  CHECK(placed(2, request).cpus_per_rank == 1);
  CHECK(placed(2, request).description ==
        "blocks of 2 ranks per node on 1 of 4 nodes (their threads used 3 cores, for which there is no room)");
  request.ranks_per_node = 0;
  CHECK(placed(5, request).cpus_per_rank == 1);
  request.cpus_seen = 7;
  CHECK(placed(4, request).cpus_per_rank == 3);
  CHECK(refused(100, request) == refused(100, PlacementRequest{}));
  request.ranks_per_node = 2;
  request.cpus_per_rank = 1;
  CHECK(placed(2, request).host_of == Hosts{0, 0});
  CHECK(placed(2, request).description == "blocks of 2 ranks per node on 1 of 4 nodes");
}

TEST_CASE("slots of a hostfile are for ranks") {
  const TemporaryFile file("n2\nn1 slots=1\n");
  PlacementRequest request{0, false, file.path()};
  request.cpus_per_rank = 3;
  CHECK(placed(2, request).host_of == Hosts{1, 0});
  const TemporaryFile over("n1 slots=2\n");
  request.hostfile = over.path();
  CHECK(refused(1, request) ==
        fmt::format("{}:1: found 2 slots of 3 cores each for host 'n1', expected at most its 3 cores", over.path()));
}

TEST_CASE("hostfile lines") {
  CHECK(slots("n2\nn1 slots=2\nn3:1\n") == Slots{{1, 3}, {0, 2}, {2, 1}});
  CHECK(slots("# all\n\n  n4 \t slots=3 # the last\r\nn1:2# x") == Slots{{3, 3}, {0, 2}});
  CHECK(slots("n2\nn1\nn2") == Slots{{1, 1}, {0, 3}, {1, 1}}); // n2 is there twice: one slot a line
  CHECK(slots("n2:1\nn2:2") == Slots{{1, 1}, {1, 2}});
}

TEST_CASE("bad hostfile lines") {
  CHECK(hostfile_error("") == "h: found no host, expected lines with a host, 'host slots=N' or 'host:N'");
  CHECK(hostfile_error("# only this\n") == "h: found no host, expected lines with a host, 'host slots=N' or 'host:N'");
  CHECK(hostfile_error("n1\nn5") == "h:2: found host 'n5', expected one of the 4 hosts of platform four (nearest: n1, n2, n3)");
  CHECK(hostfile_error("login.example.org") ==
        "h:1: found host 'login.example.org', expected one of the 4 hosts of platform four (n1 to n4)");
  CHECK(hostfile_error("n1 4") == "h:1: found 'n1 4', expected a host, 'host slots=N' or 'host:N'");
  CHECK(hostfile_error("n1 slots=2 max_slots=3") ==
        "h:1: slots of 'n1': found '2 max_slots=3', expected a whole number from 1 to 2147483647");
  CHECK(hostfile_error("n1 slots=") == "h:1: slots of 'n1': found '', expected a whole number from 1 to 2147483647");
  CHECK_THAT(hostfile_error("n1:0"), Catch::StartsWith("h:1: slots of 'n1': found '0'"));
  CHECK_THAT(hostfile_error("n1:x"), Catch::StartsWith("h:1: slots of 'n1': found 'x'"));
  CHECK_THAT(hostfile_error("n1:-3"), Catch::StartsWith("h:1: slots of 'n1': found '-3'"));
  CHECK(hostfile_error("n1:4") == "h:1: found 4 slots for host 'n1', expected at most its 3 cores");
  CHECK(hostfile_error("n1:2\nn2\nn1:2") == "h:3: found 4 slots for host 'n1', expected at most its 3 cores");
  CHECK(hostfile_error("n1\nn1\nn1\nn1") == "h:4: found 4 slots for host 'n1', expected at most its 3 cores");
  CHECK_THAT(hostfile_error("n1 slots=2147483647\nn1 slots=2147483647"), Catch::Contains("expected at most its 3 cores"));
}

TEST_CASE("ranks fill the slots of a hostfile in order") {
  const TemporaryFile file("n4 slots=2\nn1\n");
  const Placement placement = placed(4, {0, false, file.path()});
  CHECK(placement.host_of == Hosts{3, 3, 0, 0});
  CHECK(placement.core_of == Cores{0, 1, 0, 1});
  CHECK(placement.description == fmt::format("blocks of 2 ranks per node on 2 of 4 nodes, hosts from {}", file.path()));
  CHECK(placed(5, {0, true, file.path()}).host_of == Hosts{3, 0, 3, 0, 0});
  CHECK(placed(2, {1, false, file.path()}).host_of == Hosts{3, 0});
  CHECK(
      refused(6, {0, false, file.path()}) ==
      fmt::format("placement: found 5 cores on 2 hosts of platform four with hostfile {}, expected at least 6, one for each rank",
                  file.path()));
}

TEST_CASE("a host that is listed again gets the next core") {
  const TemporaryFile file("n1\nn2\nn1\n");
  const Placement placement = placed(5, {0, false, file.path()});
  CHECK(placement.host_of == Hosts{0, 1, 1, 1, 0});
  CHECK(placement.core_of == Cores{0, 0, 1, 2, 1});
}

TEST_CASE("unreadable hostfile") {
  CHECK(refused(1, {0, false, "/nonexistent"}) ==
        "/nonexistent: cannot be read (No such file or directory), expected a hostfile");
}

TEST_CASE("an oversubscribed or large machine is placed in time that grows with the ranks") {
  Cluster cluster;
  cluster.id = std::string("c");
  cluster.cores = 1;
  for (std::uint32_t number = 0; number < 65536; ++number) {
    cluster.radicals.push_back(number);
  }
  const auto placement = place(build_platform(cluster), 65536, {0, true, ""});
  REQUIRE(placement);
  CHECK(placement->host_of.back() == 65535);
}
