#include "predictor/network/channel_network.h"

#include "predictor/platform/cluster.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace farcast;
using network::ChannelNetwork;

namespace {

constexpr double kBandwidth = 1e6; // bytes per second
constexpr double kLatency = 0.5;   // of one link; a way has two

platform::Platform cluster(int hosts) {
  platform::Cluster cluster;
  cluster.id = "host";
  for (int i = 0; i < hosts; ++i) cluster.radicals.push_back(static_cast<std::uint32_t>(i));
  cluster.bandwidth = base::BytesPerSecond(kBandwidth);
  cluster.latency = base::Seconds(kLatency);
  platform::Platform result = platform::build_platform(cluster);
  result.transport.packet_payload = 0; // a parcel takes what it holds
  return result;
}

struct Seen {
  double at;
  ChannelNetwork::Token token;
  ChannelNetwork::Event::Kind kind;
};
constexpr auto kLeft = ChannelNetwork::Event::Kind::left;
constexpr auto kArrived = ChannelNetwork::Event::Kind::arrived;

std::vector<Seen> run(ChannelNetwork& network) {
  std::vector<Seen> seen;
  std::vector<ChannelNetwork::Event> events;
  for (double next = network.next_event(); next < ChannelNetwork::kNever; next = network.next_event()) {
    events.clear();
    network.advance(next, events);
    for (const ChannelNetwork::Event& event : events) seen.push_back({next, event.token, event.kind});
  }
  return seen;
}

ChannelNetwork::Pair pair(std::uint32_t source, std::uint32_t destination) { return {source, destination, source, destination}; }

} // namespace

TEST_CASE("a parcel alone takes its bytes over the bandwidth, then the latency") {
  const platform::Platform platform = cluster(2);
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
  const platform::Platform platform = cluster(2);
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
  const platform::Platform platform = cluster(2);
  ChannelNetwork network(platform);
  network.send(pair(0, 1), 3e6, 0, false, false, 0.0);
  network.send(pair(1, 0), 3e6, 1, false, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].at == Approx(3 + 2 * kLatency));
  CHECK(seen[1].at == Approx(3 + 2 * kLatency));
}

TEST_CASE("a control message waits behind bulk data of its direction, unless it may pass") {
  const platform::Platform platform = cluster(2);
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
  const platform::Platform platform = cluster(3);
  ChannelNetwork network(platform);
  for (ChannelNetwork::Token i = 0; i < 3; ++i) network.send(pair(0, 1), 1e6, i, false, false, 0.0);
  network.send(pair(0, 2), 1e6, 3, false, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 4);
  // Two heads share the up link of host 0: each moves at half the rate until the second channel is empty.
  CHECK(seen[0].at == Approx(2 + 2 * kLatency));
  CHECK(seen[1].at == Approx(2 + 2 * kLatency));
  CHECK(seen[2].at == Approx(3 + 2 * kLatency));
  CHECK(seen[3].at == Approx(4 + 2 * kLatency));
}

TEST_CASE("packets cost their headers, an empty parcel one packet") {
  platform::Platform platform = cluster(2);
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
  platform::Platform platform = cluster(2);
  platform.links[platform.route(0, 1).links[0]].bandwidth = base::BytesPerSecond(0);
  ChannelNetwork network(platform);
  network.send(pair(0, 1), 1, 0, false, false, 0.0);
  CHECK(network.next_event() == ChannelNetwork::kNever);
  CHECK(network.in_flight() == 1);
}

namespace {

struct Sent {
  ChannelNetwork::Pair pair;
  double bytes;
  double at;
};

std::vector<Sent> random_traffic(unsigned seed) {
  std::mt19937 random(seed); // its output is the same everywhere; distributions are not
  const auto below = [&random](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  std::vector<Sent> sent(1 + below(60));
  double now = 0;
  for (Sent& one : sent) {
    now += below(3) * 0.25;
    const std::uint32_t source = below(4);
    one = {pair(source, (source + 1 + below(3)) % 4), below(2'000'000) * 1.0, now};
  }
  return sent;
}

std::vector<Seen> play(const platform::Platform& platform, const std::vector<Sent>& sent) {
  ChannelNetwork network(platform);
  std::vector<Seen> seen;
  std::vector<ChannelNetwork::Event> events;
  std::size_t next = 0;
  for (;;) {
    const double posted = next < sent.size() ? sent[next].at : ChannelNetwork::kNever;
    const double due = network.next_event();
    if (posted == ChannelNetwork::kNever && due == ChannelNetwork::kNever) break;
    if (posted <= due) {
      network.send(sent[next].pair, sent[next].bytes, static_cast<ChannelNetwork::Token>(next), false, false, posted);
      ++next;
      continue;
    }
    events.clear();
    network.advance(due, events);
    for (const ChannelNetwork::Event& event : events) seen.push_back({due, event.token, event.kind});
  }
  CHECK(network.in_flight() == 0);
  return seen;
}

} // namespace

TEST_CASE("random traffic: everything arrives once, in the order of its channel, no faster than its links, and the same again") {
  const platform::Platform platform = cluster(4);
  for (unsigned seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const std::vector<Sent> sent = random_traffic(seed);
    const std::vector<Seen> seen = play(platform, sent);
    REQUIRE(seen.size() == sent.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, ChannelNetwork::Token> last;
    bool ordered = true;
    bool possible = true;
    for (const Seen& one : seen) {
      const Sent& from = sent[one.token];
      possible = possible && one.at >= (from.at + from.bytes / kBandwidth + 2 * kLatency) * (1 - 1e-9);
      const auto [before, first] = last.try_emplace({from.pair.source, from.pair.destination}, one.token);
      ordered = ordered && (first || before->second < one.token);
      before->second = one.token;
    }
    CHECK(ordered);
    CHECK(possible);
    const std::vector<Seen> again = play(platform, sent);
    CHECK(std::equal(seen.begin(), seen.end(), again.begin(), again.end(),
                     [](const Seen& a, const Seen& b) { return a.at == b.at && a.token == b.token; }));
  }
}
