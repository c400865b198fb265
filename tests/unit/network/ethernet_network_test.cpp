#include "predictor/network/ethernet_network.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <unit/network/ordered_traffic.h>
#include <vector>

using namespace farcast;
using namespace farcast::network;

namespace {

constexpr double kPayload = 1000;
constexpr double kOverhead = 100;
constexpr double kPacket = (kPayload + kOverhead) / kBandwidth;

platform::Platform cluster(int hosts, double packet_payload = kPayload) {
  platform::Platform result = cluster_without_packets(hosts);
  result.transport.packet_payload = packet_payload;
  result.transport.packet_overhead = kOverhead;
  result.transport.first_window = 0;
  return result;
}

// What a busy connection may have in the card: two trains, one of them under way.
constexpr double kTurn = 2 * EthernetNetwork::kTrainPackets * kPacket;

double serving(double bytes) { return (bytes + std::max(1.0, std::ceil(bytes / kPayload)) * kOverhead) / kBandwidth; }

} // namespace

TEST_CASE("ethernet: a packet is handed on when it has come whole, the rest follows it") {
  const platform::Platform platform = cluster(2);
  for (const double bytes : {0.0, 1.0, 999.0, 1000.0, 1001.0, 44000.0, 45000.0, 45001.0, 1e6, 1.2345e7}) {
    INFO(bytes << " bytes");
    EthernetNetwork network(platform);
    network.send(pair(0, 1), bytes, 7, true, false, 1.0);
    CHECK(network.in_flight() == 1);
    const std::vector<Seen> seen = run(network);
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].kind == kLeft);
    CHECK(seen[0].at == Approx(1.0 + serving(bytes)).epsilon(1e-12));
    CHECK(seen[1].token == 7);
    const double first = std::min(bytes + kOverhead, kPayload + kOverhead) / kBandwidth;
    CHECK(seen[1].at == Approx(1.0 + serving(bytes) + first + kWay).epsilon(1e-12));
    CHECK(network.in_flight() == 0);
  }
}

TEST_CASE("ethernet: without packets a fragment takes its bytes and the latency") {
  const platform::Platform platform = cluster(2, 0);
  EthernetNetwork network(platform);
  network.send(pair(0, 1), 2e6, 0, false, false, 0.0);
  network.send(pair(0, 1), 0, 1, false, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].at == Approx(2.0 + kWay));
  CHECK(seen[1].at == Approx(2.0 + kWay));
  CHECK(seen[1].token == 1);
}

TEST_CASE("ethernet: what a host sends to several others at once goes by turns, some trains of each") {
  const platform::Platform platform = cluster(4);
  EthernetNetwork network(platform);
  for (OrderedNetwork::Token i = 0; i < 3; ++i) network.send(pair(0, 1 + i), 1e6, i, false, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 3);
  for (OrderedNetwork::Token i = 0; i < 3; ++i) CHECK(seen[i].at > 3 * serving(1e6) - 3 * kTurn + kPacket + kWay);
  CHECK(seen[2].at == Approx(3 * serving(1e6) + kPacket + kWay));
}

TEST_CASE("ethernet: what is written to an idle connection waits for some trains of each busy one, in one's own for all of it") {
  const platform::Platform platform = cluster(5);
  for (const std::uint32_t busy : {1U, 3U}) {
    INFO(busy << " busy connections");
    std::vector<Sent> sent;
    for (std::uint32_t i = 0; i < busy; ++i) sent.push_back({pair(0, 1 + i), 1e6, 0.0});
    sent.push_back({pair(0, 4), 100, 0.6});
    sent.push_back({pair(0, 1), 100, 0.6});
    std::map<OrderedNetwork::Token, double> at;
    for (const Seen& one : play<EthernetNetwork>(platform, sent)) at[one.token] = one.at;
    CHECK(at[busy] > 0.6 + 2 * serving(100) + kWay);
    CHECK(at[busy] < 0.6 + busy * kTurn + 2 * serving(100) + kPacket + kWay);
    CHECK(at[busy + 1] > busy * (serving(1e6) - kTurn) + kWay);
  }
}

TEST_CASE("ethernet: many into one share its link, and hold nobody else up") {
  const platform::Platform platform = cluster(4);
  EthernetNetwork network(platform);
  network.send(pair(0, 3), 1e6, 0, false, false, 0.0);
  network.send(pair(1, 3), 1e6, 1, false, false, 0.0);
  network.send(pair(1, 2), 1e6, 2, false, false, 0.0); // takes turns with the one to 3 on the link of host 1 alone
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 3);
  std::map<OrderedNetwork::Token, double> at;
  for (const Seen& one : seen) at[one.token] = one.at;
  CHECK(std::max(at[0], at[1]) == Approx(2 * serving(1e6) + kPacket + kWay));
  CHECK(std::min(at[0], at[1]) > 1.9 * serving(1e6)); // they take turns
  CHECK(at[2] <= (2 * serving(1e6) + kPacket + kWay) * (1 + 1e-9));
  CHECK(at[2] > 2 * serving(1e6) - kTurn + kWay);
}

TEST_CASE("ethernet: packets without overhead, and fragments without bytes, come to an end") {
  platform::Platform platform = cluster(2);
  platform.transport.packet_overhead = 0;
  EthernetNetwork network(platform);
  network.send(pair(0, 1), 0, 0, false, false, 0.0);
  network.send(pair(0, 1), 5 * kPayload, 1, false, false, 0.0);
  network.send(pair(0, 0), 5 * kPayload, 2, false, false, 0.0);
  std::vector<OrderedNetwork::Event> events;
  int steps = 0;
  for (; std::isfinite(network.next_event()) && steps < 1000; ++steps) network.advance(network.next_event(), events);
  CHECK(steps < 1000);
  CHECK(events.size() == 3);
}

TEST_CASE("ethernet: the two directions of a pair meet each other's acknowledgements, one for two packets") {
  const platform::Platform platform = cluster(2);
  EthernetNetwork network(platform);
  network.send(pair(0, 1), 3e6, 0, false, false, 0.0);
  network.send(pair(1, 0), 3e6, 1, false, false, 0.0);
  const double acknowledgements = 3e6 / kPayload / 2 * kOverhead / kBandwidth;
  for (const Seen& one : run(network)) {
    CHECK(one.at > serving(3e6) + kPacket + kWay + 0.5 * acknowledgements);
    CHECK(one.at < serving(3e6) + kPacket + kWay + acknowledgements);
  }
}

TEST_CASE("ethernet: what is written behind bulk data stands behind acknowledgements of what has come meanwhile") {
  const platform::Platform platform = cluster(2);
  for (const double other : {0.0, 1e6}) {
    INFO(other << " bytes the other way");
    EthernetNetwork network(platform);
    network.send(pair(0, 1), 1e6, 0, false, false, 0.0);
    if (other > 0) network.send(pair(1, 0), other, 1, false, false, 0.0);
    std::vector<OrderedNetwork::Event> events;
    // All is in the card, and its last train is on the link.
    const double last = serving(1e6) - 0.1 * kTurn;
    while (network.next_event() < last) network.advance(network.next_event(), events);
    network.send(pair(0, 1), 10, 2, false, false, last);
    std::map<OrderedNetwork::Token, double> at;
    for (const Seen& one : run(network)) at[one.token] = one.at;
    const double apart = at[2] - at[0];
    if (other > 0)
      CHECK(apart > serving(10) + 3 * serving(0));
    else
      CHECK(apart == Approx(serving(10)));
  }
}

TEST_CASE("ethernet: a window makes long messages take turns, and bounds a connection's rate") {
  platform::Platform platform = cluster(3);
  platform.transport.socket_buffer = 2e6;
  EthernetNetwork network(platform);
  network.send(pair(0, 1), 2e7, 0, false, false, 0.0);
  network.send(pair(0, 2), 2e7, 1, false, false, 0.0);
  const std::vector<Seen> turns = run(network);
  REQUIRE(turns.size() == 2);
  const double both = 2 * serving(2e7);
  CHECK(turns[1].at == Approx(both + kWay + kPacket).epsilon(1e-3));
  CHECK(turns[0].at > 0.85 * both);

  platform.transport.socket_buffer = 1e5; // less than a link carries in the time of an acknowledgement
  EthernetNetwork slow(platform);
  slow.send(pair(0, 1), 1e6, 0, false, false, 0.0);
  const std::vector<Seen> seen = run(slow);
  REQUIRE(seen.size() == 1);
  const double rate = serving(1e6) * kBandwidth / seen[0].at;
  CHECK(rate < 1e5 / (2 * kWay) * 1.15);
  CHECK(rate > 1e5 / (2 * kWay) * 0.5); // whole trains only
}

namespace {

// A way on which a window of ten packets is served in less than the time of an acknowledgement.
platform::Platform long_way() {
  platform::Platform result = cluster(3);
  result.transport.first_window = 10;
  return result;
}
constexpr double kTen = 10 * kPacket;
constexpr double kRoundTrip = 2 * kWay; // of the least packet

// Returns: when the last of `bytes` is there that are sent at `now`.
double arrival(EthernetNetwork& network, double bytes, double now) {
  network.send(pair(0, 1), bytes, 0, false, false, now);
  return run(network).back().at;
}

} // namespace

TEST_CASE("ethernet: a new connection sends ten packets, then twice as many per round trip") {
  const platform::Platform platform = long_way();
  EthernetNetwork fits(platform);
  CHECK(arrival(fits, 10 * kPayload, 1.0) == Approx(1.0 + kTen + kPacket + kWay).epsilon(1e-12));
  // Two packets are acknowledged at a time: the eleventh goes when the first two are.
  EthernetNetwork waits(platform);
  const double two = 2 * kPacket;
  CHECK(arrival(waits, 12 * kPayload, 1.0) ==
        Approx(1.0 + two + kPacket + kWay + 2 * serving(0) + kWay + two + kPacket + kWay).epsilon(1e-9));
  // 10, 20, 40 and 80 packets in four rounds; the last of each is gone before the first of the next
  // may go.
  EthernetNetwork grows(platform);
  const double rounds = arrival(grows, 150 * kPayload, 1.0) - 1.0;
  CHECK(rounds > 3 * kRoundTrip + kWay);
  CHECK(rounds < 3 * (kRoundTrip + 4 * kPacket) + kWay + 80 * kPacket + kPacket);
}

TEST_CASE("ethernet: what has been acknowledged may be sent at once afterwards, half of it after each pause of a timeout") {
  const platform::Platform platform = long_way();
  constexpr double kMany = 320 * kPayload;
  const auto after = [&](double pause, double bytes) {
    EthernetNetwork network(platform);
    const double begin = arrival(network, kMany, 1.0) + kWay + pause;
    return arrival(network, bytes, begin) - begin;
  };
  // The timeout is a round trip and kIdle; about a round trip lies between the last that is sent
  // and its acknowledgement.
  const double timeout = EthernetNetwork::kIdle + kRoundTrip;
  const auto at_once = [](double packets) { return Approx(packets * kPacket + kPacket + kWay).epsilon(1e-9); };
  CHECK(after(0.01, kMany) == at_once(320));
  CHECK(after(0.5, 160 * kPayload) == at_once(160));
  CHECK(after(0.5, kMany) > kRoundTrip + kWay + 155 * kPacket); // the others when the first segments are acknowledged
  CHECK(after(100 * timeout, 10 * kPayload) == at_once(10));
  CHECK(after(100 * timeout, 20 * kPayload) > kRoundTrip + kWay);
}

TEST_CASE("ethernet: small messages use no more of a window than they need, and it does not grow by them") {
  const platform::Platform platform = long_way();
  EthernetNetwork network(platform);
  for (int i = 0; i < 500; ++i) network.send(pair(0, 1), 100, 0, false, false, 1.0 + 3 * i);
  run(network);
  const double begin = 2000;
  CHECK(arrival(network, 20 * kPayload, begin) - begin > kRoundTrip + kWay);
  // Of another pair the window is its own.
  network.send(pair(0, 2), 10 * kPayload, 0, false, false, begin + 100);
  CHECK(run(network).back().at == Approx(begin + 100 + kTen + kPacket + kWay).epsilon(1e-12));
}

TEST_CASE("ethernet: a packet that is not full takes a full one's place in a window") {
  const platform::Platform platform = long_way();
  const auto behind_three = [&](double packets) {
    EthernetNetwork network(platform);
    const double apart = 2 * serving(100);
    for (int i = 0; i < 3; ++i) network.send(pair(0, 1), 100, 0, false, false, 1.0 + i * apart);
    const double begin = 1.0 + 3 * apart;
    return arrival(network, packets * kPayload, begin) - begin;
  };
  CHECK(behind_three(7) == Approx(8 * kPacket + kWay).epsilon(1e-9));
  CHECK(behind_three(8) > kRoundTrip); // the first of them is acknowledged
}

TEST_CASE("ethernet: a fat pipe carries connections side by side, and each one's bytes one after the other") {
  platform::Platform platform = cluster(2, 0);
  for (platform::Link& link : platform.links) link.sharing = platform::Sharing::fatpipe;
  EthernetNetwork network(platform);
  network.send({0, 1, 0, 1}, 2e6, 0, false, false, 0.0);
  network.send({0, 1, 0, 1}, 1e6, 1, false, false, 0.0);
  network.send({2, 3, 0, 1}, 2e6, 2, false, false, 0.0);
  std::map<OrderedNetwork::Token, double> at;
  for (const Seen& one : run(network)) at[one.token] = one.at;
  CHECK(at[0] == Approx(2.0 + kWay));
  CHECK(at[1] == Approx(3.0 + kWay));
  CHECK(at[2] == Approx(2.0 + kWay));
}

TEST_CASE("ethernet: a slow link paces what follows, a fast one carries several slow ones") {
  platform::Platform platform = cluster(4);
  platform.links[platform.route(0, 3).links[1]].bandwidth = base::BytesPerSecond(3 * kBandwidth);
  EthernetNetwork network(platform);
  for (std::uint32_t source = 0; source < 3; ++source) network.send(pair(source, 3), 1e6, source, false, false, 0.0);
  for (const Seen& one : run(network)) {
    CHECK(one.at >= (serving(1e6) + kWay) * (1 - 1e-12));
    CHECK(one.at <= serving(1e6) + kWay + 3 * serving(45000) / 3 + kPacket);
  }
}

TEST_CASE("ethernet: a link without bandwidth holds its fragments, and nobody else's") {
  platform::Platform platform = cluster(3);
  platform.links[platform.route(0, 1).links[1]].bandwidth = base::BytesPerSecond(0);
  EthernetNetwork network(platform);
  network.send(pair(0, 1), 1, 0, false, false, 0.0);
  network.send(pair(0, 2), 1, 1, false, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].token == 1);
  CHECK(network.in_flight() == 1);
}

TEST_CASE("ethernet: segments, and what stands in the card, are smaller where windows are small for the round trip") {
  // An answer to host 2 waits behind a long message for host 1: for what of it stands in the card.
  const auto waits = [](double socket_buffer, double latency) {
    platform::Platform platform = cluster(3);
    for (platform::Link& link : platform.links) link.latency = base::Seconds(latency);
    platform.transport.socket_buffer = socket_buffer;
    std::map<OrderedNetwork::Token, double> at;
    for (const Seen& one : play<EthernetNetwork>(platform, {{pair(0, 1), 1e7, 0.0}, {pair(0, 2), 0, 5.0}}))
      at[one.token] = one.at;
    return at[1] - 5.0;
  };
  const double near_by = waits(1e6, 1e-6), far = waits(1e6, 1e-2), small = waits(2e4, 1e-2);
  CHECK(near_by < kTurn);
  CHECK(far < kTurn);
  CHECK(small < far / 2);
  CHECK(small < near_by / 2);
}

TEST_CASE("ethernet: what waits in a socket goes with what is before it, and takes no turn of its own") {
  // The card is busy with another connection: 100 bytes behind a message come with its last segment.
  const auto& at = play<EthernetNetwork>(cluster(3), {{pair(0, 2), 1e7, 0.0}, {pair(0, 1), 3e5, 1.0}, {pair(0, 1), 100, 1.0}});
  std::map<OrderedNetwork::Token, double> arrives;
  for (const Seen& one : at) arrives[one.token] = one.at;
  CHECK(arrives[2] >= arrives[1]);
  CHECK(arrives[2] < arrives[1] + 2 * serving(100));
  // Written when all that is before it stands in the card, it goes alone, behind what the other
  // connection has there.
  const double written = arrives[1] - kWay - kPacket;
  for (const Seen& one :
       play<EthernetNetwork>(cluster(3), {{pair(0, 2), 1e7, 0.0}, {pair(0, 1), 3e5, 1.0}, {pair(0, 1), 100, written}}))
    if (one.token == 2) CHECK(one.at > arrives[1] + 5 * serving(100));
}

TEST_CASE("ethernet: what fills no segment stays in its socket while one of its connection stands in the card") {
  // The card is busy with another connection: the second of two small messages goes behind what that
  // has put there by the time that the first one has left, not with it.
  std::map<OrderedNetwork::Token, double> arrives;
  for (const Seen& one : play<EthernetNetwork>(cluster(3), {{pair(0, 2), 1e6, 0.0}, {pair(0, 1), 8, 0.0}, {pair(0, 1), 8, 0.0}}))
    arrives[one.token] = one.at;
  const double before = arrives[1] - kWay - 2 * serving(8); // in the card already
  CHECK(before > 2 * kPacket);
  CHECK(arrives[2] == Approx(arrives[1] + before + serving(8)));
  // With its own connection alone in the card nothing is lost by that.
  for (const Seen& one : play<EthernetNetwork>(cluster(3), {{pair(0, 1), 8, 0.0}, {pair(0, 1), 8, 0.0}}))
    arrives[one.token] = one.at;
  CHECK(arrives[1] == Approx(3 * serving(8) + kWay));
}

namespace {

// When a link has carried all of its bytes at the earliest, from the first that was sent over it.
bool links_carry_no_more_than_they_can(const std::vector<Sent>& sent, const std::vector<Seen>& seen) {
  for (std::uint32_t host = 0; host < 4; ++host) {
    double bytes = 0;
    double first = HUGE_VAL;
    double last = 0;
    for (const Seen& one : seen) {
      const Sent& from = sent[one.token];
      if (from.pair.destination != host) continue;
      bytes += serving(from.bytes) * kBandwidth;
      first = std::min(first, from.at);
      last = std::max(last, one.at);
    }
    if (bytes > 0 && last < (first + bytes / kBandwidth + kWay) * (1 - 1e-9)) return false;
  }
  return true;
}

} // namespace

TEST_CASE("ethernet, random traffic: all arrives once, in its connection's order, no faster than links are, and the same again") {
  platform::Platform platform = cluster(4);
  for (unsigned seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    platform.transport.socket_buffer = seed % 3 == 0 ? 3e5 : 8e6;
    const std::vector<Sent> sent = random_traffic(seed);
    const std::vector<Seen> seen = play<EthernetNetwork>(platform, sent);
    check_arrivals(sent, seen, [](double bytes) { return serving(bytes) + kWay; });
    CHECK(links_carry_no_more_than_they_can(sent, seen));
    CHECK(same(seen, play<EthernetNetwork>(platform, sent)));
  }
}
