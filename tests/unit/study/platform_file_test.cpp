#include "calib/study/platform_file.h"

#include "calib/study/picture.h"
#include "calib/study/quality_table.h"
#include "predictor/platform/simgrid_xml.h"
#include "tests/unit/study/synthetic_network.h"

#include <catch2/catch.hpp>
#include <pugixml.hpp>

using namespace farcast;

namespace {

study::NetworkCalibration calibration_of(const std::string& pair_class) {
  auto calibration = study::calibrate_network(test::output_of(test::probe_lines({}, 400, 2, pair_class)));
  REQUIRE(calibration);
  return *calibration;
}

const study::Provenance kProvenance{
    "<alpha> & \"co\"", "a CPU", "Open MPI v4.1.4", "2026-11-21T00:00:00Z", "farcast calibrate", "0.1.0", 1};

// SimGrid's formula with what the reader made of the file.
double time_on(const platform::Platform& platform, platform::HostId from, platform::HostId to, double bytes) {
  const platform::Route route = platform.route(from, to);
  double bandwidth = HUGE_VAL;
  for (const auto link : route.links) bandwidth = std::min(bandwidth, platform.links[link].bandwidth.value());
  const double size = bytes + platform.p2p.envelope_bytes;
  double seconds = platform::factor_at(platform.p2p.latency_factor, size) * route.latency.value() +
                   size / (platform::factor_at(platform.p2p.bandwidth_factor, size) * bandwidth);
  if (bytes >= platform.p2p.detached_below_bytes) return seconds;
  return seconds + platform::overhead_at(platform.p2p.send_overhead, bytes).value() +
         platform::overhead_at(platform.p2p.receive_overhead, bytes).value();
}

} // namespace

TEST_CASE("the platform that is written is read back with the measured times") {
  const auto calibration = calibration_of("other-node");
  study::PlatformFileOptions options;
  options.nodes = 3;
  options.socket_buffer = 4e6;
  const auto platform = platform::parse_simgrid_xml(study::platform_file(calibration, kProvenance, options), "net.xml");
  REQUIRE(platform);
  CHECK(platform->warnings.empty());
  REQUIRE(platform->hosts.size() == 3);
  CHECK(platform->hosts[0].cores == 2);
  CHECK(platform->p2p.detached_below_bytes == 65481);
  CHECK(platform->p2p.iprobe_cost.value().value() == Approx(80e-9));
  CHECK(platform->p2p.eager_flow_below_bytes == 65481);
  CHECK(!platform->topology.loops_back(0)); // no pair within a node was measured
  CHECK(platform::self_message_at(platform->p2p, 56000).value() == Approx(0.6e-6 + 3e-10 * 56000).epsilon(0.02));
  CHECK(platform::overhead_at(platform->p2p.reduction, 1e6).value() == Approx(2e-4).epsilon(0.02));
  CHECK(platform::overhead_at(platform->p2p.copy, 1e6).value() == Approx(1e-4).epsilon(0.02));
  CHECK(platform->transport.kind == platform::TransportKind::tcp_openmpi);
  CHECK(platform->transport.eager_limit == 65480);
  CHECK(platform->transport.packet_payload == 1448);
  CHECK(platform->transport.packet_overhead == 90);
  CHECK(platform->transport.socket_buffer == 4e6);
  CHECK(platform->transport.wakeup_latency.value() == Approx(calibration.main_pair().wakeup_latency_s));
  CHECK(platform->route(0, 2).latency.value() == Approx(calibration.main_pair().latency_s));
  const test::NetworkTruth truth;
  for (const double bytes : {1.0, 100.0, 5000.0, 65480.0, 65481.0, 300000.0, 4e6}) {
    INFO(bytes << " bytes");
    CHECK(time_on(*platform, 0, 1, bytes) == Approx(truth.one_way_s(bytes)).epsilon(0.02));
  }
}

TEST_CASE("measured within a node: one node whose loopback has the measured times") {
  const auto calibration = calibration_of("same-node");
  study::PlatformFileOptions options;
  options.nodes = 1;
  const auto platform = platform::parse_simgrid_xml(study::platform_file(calibration, kProvenance, options), "net.xml");
  REQUIRE(platform);
  REQUIRE(platform->hosts.size() == 1);
  CHECK(platform->transport.kind == platform::TransportKind::smpi);
  CHECK(platform->topology.loops_back(0));
  CHECK(platform->transport.eager_limit == 65480); // for --p2p channel
  CHECK(platform->transport.packet_payload == 0);
  const test::NetworkTruth truth;
  CHECK(time_on(*platform, 0, 0, 1) == Approx(truth.one_way_s(1)).epsilon(0.05));
  CHECK(time_on(*platform, 0, 0, 4e6) == Approx(truth.one_way_s(4e6)).epsilon(0.05));
}

TEST_CASE("small messages without a base leave the loopback its latency") {
  auto calibration = calibration_of("same-node");
  calibration.pairs.back().latency_factor.front().factor = 1e-9; // all their time goes by their bytes
  const auto platform = platform::parse_simgrid_xml(study::platform_file(calibration, kProvenance, {}), "net.xml");
  REQUIRE(platform);
  CHECK(platform->route(0, 0).latency.value() == Approx(calibration.main_pair().latency_s));
}

TEST_CASE("of two nodes with two ranks each: the loopback is the pair within a node, a rank to itself has its own time") {
  test::NetworkTruth near;
  near.latency_s = 1e-6;
  near.wakeup_latency_s = 0;
  near.bytes_per_second = 5e9;
  near.rendezvous_s = 1e-6;
  near.send_base_s = near.receive_base_s = 0.2e-6;
  study::ProbeOutput output = test::output_of(test::probe_lines(near, 400, 3, "same-node"));
  const study::ProbeOutput far = test::output_of(test::probe_lines({}, 400, 2));
  output.facts.insert(far.facts.begin(), far.facts.end());
  output.samples.insert(output.samples.end(), far.samples.begin(), far.samples.end());
  const auto calibration = study::calibrate_network(output);
  REQUIRE(calibration);
  CHECK(calibration->notes.empty());
  REQUIRE(calibration->pair_within_node() != nullptr);
  CHECK(calibration->pair_within_node()->name == "same-node");
  CHECK(calibration->main_pair().name == "other-node");
  const auto platform = platform::parse_simgrid_xml(study::platform_file(*calibration, kProvenance, {}), "net.xml");
  REQUIRE(platform);
  CHECK(platform->topology.loops_back(1));
  CHECK(platform->route(1, 1).latency.value() < 10e-6);
  CHECK(platform::self_message_at(platform->p2p, 1).value() == Approx(0.6e-6).epsilon(0.05));
}

TEST_CASE("pairs that slow each other down make a backbone") {
  auto calibration = calibration_of("other-node");
  calibration.hosts = 4;
  calibration.pairs.back().contention.push_back({"pairs", 2, 1.9, 40});
  const auto platform = platform::parse_simgrid_xml(study::platform_file(calibration, kProvenance, {}), "net.xml");
  REQUIRE(platform);
  const platform::Route route = platform->route(0, 3);
  REQUIRE(route.links.size() == 3);
  double shared = 0.0;
  for (const auto link : route.links) shared = std::max(shared, platform->links[link].bandwidth.value());
  CHECK(shared == Approx(calibration.main_pair().bytes_per_second * 2 / 1.9).epsilon(1e-6));
}

TEST_CASE("picture and table show every section, and the picture is XML") {
  const auto calibration = calibration_of("other-node");
  const std::string svg = study::network_picture(calibration, "<title> & more");
  pugi::xml_document document;
  REQUIRE(document.load_string(svg.c_str()));
  std::size_t sections = 0, breaks = 0;
  for (const study::Curve* curve : {&calibration.main_pair().one_way, &calibration.main_pair().send,
                                    &calibration.main_pair().isend, &calibration.main_pair().receive}) {
    sections += curve->fit.sections.size();
    breaks += curve->fit.breaks.size();
  }
  CHECK(document.select_nodes("//polyline").size() == sections);
  CHECK(document.select_nodes("//line[@class='b']").size() == breaks);
  CHECK(svg.find("nan") == std::string::npos);
  const std::string table = study::quality_table(calibration);
  CHECK(table.find("65480 B (eager)") != std::string::npos);
  CHECK(table.find("one-way  65480 up") != std::string::npos);
}
