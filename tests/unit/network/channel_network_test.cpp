#include "predictor/network/channel_network.h"

#include <catch2/catch.hpp>

#include <string>
#include <unit/network/ordered_traffic.h>
#include <vector>

using namespace farcast;
using namespace farcast::network;

TEST_CASE("a fragment alone takes its bytes over the bandwidth, then the latency") {
  const platform::Platform platform = cluster_without_packets(2);
  ChannelNetwork network(platform);
  network.send(pair(0, 1), 2e6, 7, true, false, 1.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].kind == kLeft);
  CHECK(seen[0].at == Approx(1.0 + 2.0));
  CHECK(seen[1].kind == kArrived);
  CHECK(seen[1].token == 7);
  CHECK(seen[1].at == Approx(1.0 + 2.0 + 2 * kLatency));
  CHECK(network.in_flight() == 0);
}

TEST_CASE("order serialises bandwidth and pipelines latency") {
  const platform::Platform platform = cluster_without_packets(2);
  ChannelNetwork network(platform);
  for (ChannelNetwork::Token i = 0; i < 10; ++i) network.send(pair(0, 1), 1e6, i, false, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 10);
  for (ChannelNetwork::Token i = 0; i < 10; ++i) {
    CHECK(seen[i].token == i);
    CHECK(seen[i].at == Approx(i + 1 + 2 * kLatency));
  }
}

TEST_CASE("the two directions of a pair do not share the bandwidth of full-duplex links") {
  const platform::Platform platform = cluster_without_packets(2);
  ChannelNetwork network(platform);
  network.send(pair(0, 1), 3e6, 0, false, false, 0.0);
  network.send(pair(1, 0), 3e6, 1, false, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].at == Approx(3 + 2 * kLatency));
  CHECK(seen[1].at == Approx(3 + 2 * kLatency));
}

TEST_CASE("a control message waits behind bulk data of its direction, unless it may pass") {
  const platform::Platform platform = cluster_without_packets(2);
  for (const bool may_pass : {false, true}) {
    ChannelNetwork network(platform);
    network.send(pair(0, 1), 8e6, 0, false, false, 0.0);
    network.send(pair(0, 1), 1.0, 1, false, may_pass, 1.0);
    const std::vector<Seen> seen = run(network);
    REQUIRE(seen.size() == 2);
    CHECK(seen[may_pass ? 0 : 1].token == 1);
    if (may_pass)
      CHECK(seen[0].at < 1.0 + 1e-4 + 2 * kLatency);
    else
      CHECK(seen[1].at == Approx(8 + 1e-6 + 2 * kLatency));
  }
}

TEST_CASE("heads of different channels share a link fairly; what stands behind a head does not") {
  const platform::Platform platform = cluster_without_packets(3);
  ChannelNetwork network(platform);
  for (ChannelNetwork::Token i = 0; i < 3; ++i) network.send(pair(0, 1), 1e6, i, false, false, 0.0);
  network.send(pair(0, 2), 1e6, 3, false, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 4);
  // Two heads share the up link of host 0: each moves at half the rate until the second channel is
  // empty.
  CHECK(seen[0].at == Approx(2 + 2 * kLatency));
  CHECK(seen[1].at == Approx(2 + 2 * kLatency));
  CHECK(seen[2].at == Approx(3 + 2 * kLatency));
  CHECK(seen[3].at == Approx(4 + 2 * kLatency));
}

TEST_CASE("packets cost their headers, an empty fragment one packet") {
  platform::Platform platform = cluster_without_packets(2);
  platform.transport.packet_payload = 1000;
  platform.transport.packet_overhead = 100;
  ChannelNetwork network(platform);
  network.send(pair(0, 1), 2500, 0, true, false, 0.0);
  network.send(pair(0, 1), 0, 1, true, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 4);
  CHECK(seen[0].at == Approx(2800 / kBandwidth));
  CHECK(seen[1].at == Approx(2900 / kBandwidth));
}

TEST_CASE("a link without bandwidth holds a channel up, and the network says so") {
  platform::Platform platform = cluster_without_packets(2);
  platform.links[platform.route(0, 1).links[0]].bandwidth = base::BytesPerSecond(0);
  ChannelNetwork network(platform);
  network.send(pair(0, 1), 1, 0, false, false, 0.0);
  CHECK(network.next_event() == ChannelNetwork::kNever);
  CHECK(network.in_flight() == 1);
}

TEST_CASE("random traffic: everything arrives once, in the order of its channel, no faster than its links, and the same again") {
  const platform::Platform platform = cluster_without_packets(4);
  for (unsigned seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const std::vector<Sent> sent = random_traffic(seed);
    const std::vector<Seen> seen = play<ChannelNetwork>(platform, sent);
    check_arrivals(sent, seen, [](double bytes) { return bytes / kBandwidth + 2 * kLatency; });
    CHECK(same(seen, play<ChannelNetwork>(platform, sent)));
  }
}
