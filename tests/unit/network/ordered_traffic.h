// A cluster, messages between its hosts, and what an ordered network does with them: for the tests
// of each such network.
#pragma once

#include "predictor/network/ordered_network.h"
#include "predictor/platform/cluster.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace farcast::network {

constexpr double kBandwidth = 1e6; // bytes per second
constexpr double kLatency = 0.5;   // of one link; a way has two
constexpr double kWay = 2 * kLatency;

// Fragments take what they hold: the transport has no packets.
inline platform::Platform cluster_without_packets(int hosts) {
  platform::Cluster cluster;
  cluster.id = "host";
  for (int i = 0; i < hosts; ++i) cluster.radicals.push_back(static_cast<std::uint32_t>(i));
  cluster.bandwidth = base::BytesPerSecond(kBandwidth);
  cluster.latency = base::Seconds(kLatency);
  platform::Platform result = platform::build_platform(cluster);
  result.transport.packet_payload = 0;
  return result;
}

struct Seen {
  double at;
  OrderedNetwork::Token token;
  OrderedNetwork::Event::Kind kind;
};
constexpr auto kLeft = OrderedNetwork::Event::Kind::left;
constexpr auto kArrived = OrderedNetwork::Event::Kind::arrived;

// Advances to the next event and puts what happens there into `seen`.
inline void step(OrderedNetwork& network, std::vector<Seen>& seen) {
  const double next = network.next_event();
  std::vector<OrderedNetwork::Event> events;
  network.advance(next, events);
  for (const OrderedNetwork::Event& event : events) seen.push_back({next, event.token, event.kind});
}

// Returns: all that happens until nothing is left.
inline std::vector<Seen> run(OrderedNetwork& network) {
  std::vector<Seen> seen;
  while (network.next_event() < OrderedNetwork::kNever) step(network, seen);
  return seen;
}

inline OrderedNetwork::Pair pair(std::uint32_t source, std::uint32_t destination) {
  return {source, destination, source, destination};
}

struct Sent {
  OrderedNetwork::Pair pair;
  double bytes;
  double at;
};

// Between 4 hosts, ascending in time.
inline std::vector<Sent> random_traffic(unsigned seed) {
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

// Returns: what happens to the messages; tokens are their numbers. `more`: what the network is made
// of besides.
template <class Network, class... More>
std::vector<Seen> play(const platform::Platform& platform, const std::vector<Sent>& sent, More... more) {
  Network network(platform, more...);
  std::vector<Seen> seen;
  std::size_t next = 0;
  for (;;) {
    const double posted = next < sent.size() ? sent[next].at : OrderedNetwork::kNever;
    const double due = network.next_event();
    if (posted == OrderedNetwork::kNever && due == OrderedNetwork::kNever) break;
    if (posted <= due) {
      network.send(sent[next].pair, sent[next].bytes, static_cast<OrderedNetwork::Token>(next), false, false, posted);
      ++next;
    } else {
      step(network, seen);
    }
  }
  CHECK(network.in_flight() == 0);
  return seen;
}

// All of it arrives once, each connection's messages in their order, and none before
// `least_s(bytes)` is over.
template <class Least> void check_arrivals(const std::vector<Sent>& sent, const std::vector<Seen>& seen, Least least_s) {
  REQUIRE(seen.size() == sent.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, OrderedNetwork::Token> last;
  bool ordered = true;
  bool possible = true;
  for (const Seen& one : seen) {
    const Sent& from = sent[one.token];
    possible = possible && one.at >= (from.at + least_s(from.bytes)) * (1 - 1e-9);
    const auto [before, first] = last.try_emplace({from.pair.source, from.pair.destination}, one.token);
    ordered = ordered && (first || before->second < one.token);
    before->second = one.token;
  }
  CHECK(ordered);
  CHECK(possible);
}

inline bool same(const std::vector<Seen>& one, const std::vector<Seen>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Seen& a, const Seen& b) { return a.at == b.at && a.token == b.token; });
}

} // namespace farcast::network
