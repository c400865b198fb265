// A file of `calibrate network` serves both message models: what they predict of the same programs
// lies close together.
#include "calib/study/platform_file.h"
#include "predictor/platform/simgrid_xml.h"
#include "tests/unit/study/synthetic_network.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace scenario;

namespace {

// Ordered channels have the packets, headers and queues of each message; the sections of the other
// model have them in the mean.
constexpr double kPingPong = 0.05;
constexpr double kPipeline = 0.25; // of calls of 2 us, what goes in one segment and is read in one call is left to the channels
constexpr double kStream = 0.05;

platform::Platform calibrated(const std::string& pair_class) {
  const auto calibration = study::calibrate_network(test::output_of(test::probe_lines({}, 600, 5, pair_class)));
  REQUIRE(calibration);
  study::PlatformFileOptions options;
  options.nodes = 2;
  options.socket_buffer = 4e6;
  const study::Provenance provenance{"alpha", "a CPU", "Open MPI v4.1.4", "2026-11-21T00:00:00Z", "farcast", "0.1.0", 1};
  auto platform = platform::parse_simgrid_xml(study::platform_file(*calibration, provenance, options), "net.xml");
  REQUIRE(platform);
  return std::move(*platform);
}

struct Predicted {
  double smpi, channel;
};

Predicted predict(const platform::Platform& platform, const std::function<void(Script& first, Script& second)>& write) {
  Program program(2);
  program.all_init();
  write(program.rank(0), program.rank(1));
  program.all_finalize();
  const auto with = [&](sim::MessageModel model) {
    program.rewind();
    sim::Options options;
    options.p2p = model;
    options.preconnected = true; // as the probe's ranks are when they measure
    const sim::Prediction p = sim::predict(program, platform, one_per_host(2), options);
    REQUIRE(p.complete);
    return p.time.value();
  };
  return {with(sim::MessageModel::smpi), with(sim::MessageModel::channel)};
}

Predicted ping_pong(const platform::Platform& platform, double bytes, int times) {
  return predict(platform, [&](Script& first, Script& second) {
    for (int i = 0; i < times; ++i) {
      first.send(1, bytes).receive(1);
      second.receive(0).send(0, bytes);
    }
  });
}

// `times` messages in flight to a rank that has computed for `later` before it receives one after
// the other, and an answer.
Predicted pipeline(const platform::Platform& platform, double bytes, int times, double later) {
  return predict(platform, [&](Script& first, Script& second) {
    std::vector<std::uint32_t> all;
    for (int i = 0; i < times; ++i) {
      all.push_back(static_cast<std::uint32_t>(i + 1));
      first.isend(1, bytes, all.back());
    }
    first.wait(all).receive(1, 1);
    second.compute(later);
    for (int i = 0; i < times; ++i) second.receive(0);
    second.send(0, 0, 1);
  });
}

} // namespace

TEST_CASE("a ping-pong takes the measured time in both models") {
  const platform::Platform platform = calibrated("other-node");
  const test::NetworkTruth truth;
  for (const double bytes : {8.0, 1000.0, 8000.0, 65480.0, 65481.0, 400e3, 4e6}) {
    const Predicted time = ping_pong(platform, bytes, 25);
    INFO(bytes << " bytes: smpi " << time.smpi / 50 << " s, channel " << time.channel / 50 << " s one way");
    CHECK(time.smpi == Approx(50 * truth.one_way_s(bytes)).epsilon(kPingPong));
    CHECK(time.channel == Approx(time.smpi).epsilon(kPingPong));
  }
}

TEST_CASE("small messages in flight are pipelined in both models, also to a rank that receives later") {
  const platform::Platform platform = calibrated("other-node");
  const double later = GENERATE(0.0, 20e-3);
  for (const double bytes : {8.0, 200.0, 1000.0}) {
    constexpr int kTimes = 500;
    const Predicted time = pipeline(platform, bytes, kTimes, later);
    INFO(bytes << " bytes, " << later << " s later: smpi " << time.smpi << " s, channel " << time.channel << " s");
    CHECK(time.smpi == Approx(time.channel).epsilon(kPipeline));
    CHECK(time.smpi < later + kTimes * 10e-6); // one by one each would take its latency of 100 us
  }
}

TEST_CASE("a stream of large messages runs at the wire's rate in both models") {
  const platform::Platform platform = calibrated("other-node");
  const test::NetworkTruth truth;
  for (const double bytes : {30e3, 1e6}) {
    const int times = bytes < 100e3 ? 400 : 40;
    const Predicted time = pipeline(platform, bytes, times, 0);
    INFO(bytes << " bytes: smpi " << time.smpi << " s, channel " << time.channel << " s");
    CHECK(time.smpi == Approx(time.channel).epsilon(kStream));
    CHECK(time.smpi == Approx(times * bytes / truth.payload_rate()).epsilon(0.1));
  }
}

TEST_CASE("a file of a transport without channels of its own has what ordered channels need") {
  const platform::Platform platform = calibrated("same-node");
  REQUIRE(platform.transport.kind == platform::TransportKind::smpi);
  for (const double bytes : {8.0, 65480.0, 4e6}) {
    const Predicted time = ping_pong(platform, bytes, 25);
    INFO(bytes << " bytes: smpi " << time.smpi / 50 << " s, channel " << time.channel / 50 << " s one way");
    CHECK(time.channel == Approx(time.smpi).epsilon(0.15));
  }
}
