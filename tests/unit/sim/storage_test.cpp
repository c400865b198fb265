#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace storage_test {

using namespace scenario;
using sim::Activity;

namespace {

constexpr double kBytes = 50e6;
constexpr double kRead = 100e6;
constexpr double kWrite = 25e6;

Approx near(double value) { return Approx(value).epsilon(1e-9).margin(0); }

platform::Platform with_disks(int hosts) {
  platform::Platform platform = flat(hosts);
  for (platform::Host& host : platform.hosts) host.disk = {BytesPerSecond(kRead), BytesPerSecond(kWrite)};
  return platform;
}

platform::Platform with_server(int hosts) {
  platform::Platform platform = flat(hosts);
  platform.storage_host = static_cast<platform::HostId>(hosts - 1);
  platform.hosts.back().disk = {BytesPerSecond(kRead), BytesPerSecond(kWrite)};
  return platform;
}

double in(const sim::Prediction& prediction, std::size_t rank, Activity activity) {
  return prediction.ranks[rank].in[static_cast<std::size_t>(activity)].value();
}

} // namespace

TEST_CASE("bytes of files take the disk's time: Proficz16 R_disk and W_disk") {
  Program program(2);
  program.all_init();
  program.rank(0).read(kBytes);
  program.rank(1).write(kBytes);
  program.all_finalize();
  const sim::Prediction prediction = play(program, with_disks(2));
  CHECK(prediction.complete);
  CHECK(prediction.assumptions.empty());
  CHECK(in(prediction, 0, Activity::local) == near(kBytes / kRead));
  CHECK(in(prediction, 1, Activity::local) == near(kBytes / kWrite));
  CHECK(prediction.ranks[0].messages == 0);
}

TEST_CASE("ranks of one node share its disk; reading and writing do not") {
  Program program(3);
  program.all_init();
  program.rank(0).read(kBytes);
  program.rank(1).read(kBytes);
  program.rank(2).write(kBytes / 4);
  program.all_finalize();
  platform::Placement together;
  together.host_of = {0, 0, 0};
  together.core_of = {0, 1, 2};
  const sim::Prediction prediction = sim::predict(program, with_disks(1), together, {});
  CHECK(in(prediction, 0, Activity::local) == near(2 * kBytes / kRead));
  CHECK(in(prediction, 2, Activity::local) == near(kBytes / 4 / kWrite));
}

TEST_CASE("a file server's disk and the way there limit all") {
  for (const int ranks : {1, 4}) {
    Program program(ranks);
    program.all_init();
    for (int rank = 0; rank < ranks; ++rank) program.rank(rank).write(kBytes);
    program.all_finalize();
    const platform::Platform platform = with_server(ranks + 1);
    const double seconds = play(program, platform).time.value();
    const double latency = platform::factor_at(platform.p2p.latency_factor, kBytes) * 2 * kLatency;
    const double factor = platform::factor_at(platform.p2p.bandwidth_factor, kBytes);
    CHECK(seconds == near(latency + ranks * (kBytes + platform.p2p.envelope_bytes) / (factor * kWrite)));
  }
}

TEST_CASE("files and messages share the server's link") {
  Program program(2);
  program.all_init();
  program.rank(0).write(kBytes);
  program.rank(1).receive(0);
  program.all_finalize();
  platform::Platform platform = with_server(3);
  platform.hosts.back().disk = {BytesPerSecond(1e12), BytesPerSecond(1e12)};
  Program beside(2);
  beside.all_init();
  beside.rank(0).isend(1, kBytes, 1).write(kBytes).wait({1});
  beside.rank(1).receive(0);
  beside.all_finalize();
  CHECK(play(beside, platform).time.value() == Approx(2 * alone(platform, kBytes)).epsilon(1e-3)); // both leave by one link
}

TEST_CASE("non-blocking access goes on beside computation") {
  Program program(1);
  program.all_init();
  program.rank(0).write(kBytes, 1).compute(1.0).wait({1}); // 2 s of writing
  program.all_finalize();
  const sim::Prediction prediction = play(program, with_disks(1));
  CHECK(prediction.time.value() == near(kBytes / kWrite));
  CHECK(in(prediction, 0, Activity::completion) == near(kBytes / kWrite - 1.0));
}

TEST_CASE("without a disk files take their measured time, and the prediction says so") {
  Program program(1);
  program.all_init();
  program.rank(0).write(kBytes).took(0.25).read(kBytes, 1).took(0.125).wait({1});
  program.all_finalize();
  const sim::Prediction prediction = play(program, flat(1));
  CHECK(prediction.complete);
  CHECK(prediction.time.value() == near(0.375));
  REQUIRE(prediction.assumptions.size() == 1);
  CHECK(std::holds_alternative<sim::FilesAsMeasured>(prediction.assumptions[0]));
}

} // namespace storage_test
