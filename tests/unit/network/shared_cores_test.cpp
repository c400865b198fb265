#include "predictor/network/shared_cores.h"

#include "predictor/network/ethernet_network.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <unit/network/ordered_traffic.h>
#include <vector>

using namespace farcast;
using namespace farcast::network;

namespace {

constexpr double kFrame = 3e-3;
constexpr double kPerByte = 1e-7;
constexpr double kWaking = 5e-3;
constexpr double kNotify = 2e-3;

platform::Transport machine(int cores) {
  platform::Transport result;
  result.shared_cores = cores;
  result.switch_frame_work = base::Seconds(kFrame);
  result.switch_byte_work_s = kPerByte;
  result.switch_waking_work = base::Seconds(kWaking);
  result.switch_notify_work = base::Seconds(kNotify);
  return result;
}

platform::Platform cluster(int hosts, int cores) {
  platform::Platform result = cluster_without_packets(hosts);
  result.transport.packet_payload = 1000;
  result.transport.packet_overhead = 100;
  const platform::Transport shared = machine(cores);
  result.transport.shared_cores = shared.shared_cores;
  result.transport.switch_frame_work = shared.switch_frame_work;
  result.transport.switch_byte_work_s = shared.switch_byte_work_s;
  result.transport.switch_waking_work = shared.switch_waking_work;
  return result;
}

} // namespace

TEST_CASE("shared cores: work waits when all cores are busy, first come first served") {
  const platform::Transport transport = machine(2);
  SharedCores cores(transport);
  CHECK(cores.done(1.0, 4.0) == 5.0);
  CHECK(cores.done(1.0, 1.0) == 2.0);
  CHECK(cores.done(1.5, 1.0) == 3.0); // behind the second, whose core is free first
  CHECK(cores.done(1.5, 1.0) == 4.0);
  CHECK(cores.done(1.5, 0.0) == 1.5); // no work waits for nothing
  CHECK(cores.done(10.0, 1.0) == 11.0);
}

TEST_CASE("shared cores: the switch takes one frame after another, wakes when it has slept, and has a core of its own") {
  const platform::Transport transport = machine(1);
  SharedCores cores(transport);
  CHECK(cores.carry(1.0, 1000) == 1.0);
  const double first = kWaking + kFrame + kPerByte * 1000;
  CHECK(cores.carry(1.0, 0) == Approx(1.0 + first));
  CHECK(cores.carry(1.0, 0) == Approx(1.0 + first + kFrame));
  CHECK(cores.done(1.0, 1.0) == 2.0);
  CHECK(cores.carry(1.5, 0) == 1.5);
}

TEST_CASE("shared cores: waking a process keeps the switch from its next frame") {
  const platform::Transport transport = machine(2);
  SharedCores cores(transport);
  CHECK(cores.carry(1.0, 0) == 1.0);
  cores.wake_receiver(1.0);
  CHECK(cores.carry(1.0, 0) == Approx(1.0 + kWaking + kFrame + kNotify));
  cores.wake_receiver(2.0); // it has had nothing to do since
  CHECK(cores.carry(2.0, 0) == Approx(2.0 + kNotify));
}

TEST_CASE("shared cores: processes look in turns while a core has no work, and fall asleep when they have looked enough") {
  platform::Transport transport = machine(1);
  transport.waking_work = base::Seconds(1.0);
  SharedCores cores(transport);
  cores.look(0, 0.0);
  CHECK_FALSE(cores.sleeps(0, 0.9));
  cores.look(0, 1.0);
  CHECK(cores.sleeps(0, 2.1));
  CHECK(cores.sleeps(0, 2.2)); // until it looks again
  // Work of others keeps it from looking.
  cores.look(0, 3.0);
  cores.done(3.0, 5.0);
  CHECK_FALSE(cores.sleeps(0, 8.9));
  // Two of them take turns: each has half a second of the first, and then one of them all.
  cores.look(0, 10.0);
  cores.look(1, 10.0);
  CHECK_FALSE(cores.sleeps(0, 11.0));
  cores.look(2, 11.0); // half of its own second later than 1
  CHECK_FALSE(cores.sleeps(1, 11.9));
  cores.look(1, 11.9); // has 0.45 s less than 2
  CHECK(cores.sleeps(2, 13.1));
  CHECK_FALSE(cores.sleeps(1, 13.3));
  // With a core for each nobody waits for a turn.
  const platform::Transport wide = [&transport] {
    platform::Transport two = transport;
    two.shared_cores = 2;
    return two;
  }();
  SharedCores both(wide);
  both.look(0, 0.0);
  both.look(1, 0.0);
  CHECK(both.sleeps(0, 1.1));
  CHECK(both.sleeps(1, 1.1));
  // One of the two is busy: they take turns on the other.
  SharedCores one(wide);
  one.done(0.0, 5.0);
  one.look(0, 0.0);
  one.look(1, 0.0);
  CHECK_FALSE(one.sleeps(0, 1.9));
  CHECK(one.sleeps(1, 2.1));
}

TEST_CASE("shared cores: a message alone takes no longer than between hosts with cores of their own") {
  for (const double bytes : {0.0, 100.0, 4e4, 9e4}) { // at most two whole trains
    const platform::Platform alone = cluster(2, 2);
    SharedCores cores(alone.transport);
    EthernetNetwork shared(alone, &cores);
    EthernetNetwork own(alone);
    shared.send(pair(0, 1), bytes, 0, false, false, 1.0);
    own.send(pair(0, 1), bytes, 0, false, false, 1.0);
    const std::vector<Seen> with = run(shared);
    const std::vector<Seen> without = run(own);
    REQUIRE(without.size() == 1);
    REQUIRE(with.back().kind == kArrived);
    CHECK(with.back().at == Approx(without.back().at).epsilon(1e-12));
  }
}

TEST_CASE("shared cores: frames that come at once are given one after another") {
  constexpr std::uint32_t kPairs = 8;
  const platform::Platform platform = cluster(2 * kPairs, 2);
  SharedCores cores(platform.transport);
  EthernetNetwork network(platform, &cores);
  for (std::uint32_t i = 0; i < kPairs; ++i) network.send(pair(i, kPairs + i), 0, i, false, false, 0.0);
  const std::vector<Seen> seen = run(network);
  REQUIRE(seen.size() == kPairs);
  CHECK(seen.front().at == Approx(kWay).epsilon(1e-3));
  // Each was taken a frame's work after the one before, and each is given that much later again.
  CHECK(seen.back().at == Approx(kWay + kWaking + (kPairs - 1) * kFrame).epsilon(0.02));
}

TEST_CASE("shared cores: a long message tells of its parts, which are all of it but the last") {
  const platform::Platform platform = cluster(2, 2);
  SharedCores cores(platform.transport);
  EthernetNetwork network(platform, &cores);
  constexpr double kBytes = 1e6;
  network.send(pair(0, 1), kBytes, 5, false, false, 0.0);
  std::vector<OrderedNetwork::Event> events;
  while (network.next_event() < OrderedNetwork::kNever) network.advance(network.next_event(), events);
  REQUIRE(events.size() > 2);
  double parts = 0;
  for (const OrderedNetwork::Event& event : events) {
    CHECK(event.token == 5);
    if (event.kind == OrderedNetwork::Event::Kind::piece) parts += event.bytes;
  }
  CHECK(events.back().kind == kArrived);
  CHECK(std::count_if(events.begin(), events.end(), [](const auto& event) { return event.kind == kArrived; }) == 1);
  const double last = wire_bytes(platform.transport, kBytes) - parts;
  CHECK(last > 0);
  CHECK(last <= EthernetNetwork::kTrainPackets * 1100);
  CHECK(network.last_piece(kBytes) == Approx(last - std::ceil(last / 1100) * 100));
  CHECK(network.last_piece(1.0) == 1.0);
  CHECK(network.last_piece(0.0) == 0.0);
}

TEST_CASE("shared cores, random traffic: all arrives once, in its connection's order, and the same again") {
  platform::Platform platform = cluster(4, 2);
  const auto play_shared = [&platform](const std::vector<Sent>& sent) {
    SharedCores cores(platform.transport);
    std::vector<Seen> seen = play<EthernetNetwork>(platform, sent, &cores);
    std::erase_if(seen, [](const Seen& one) { return one.kind != kArrived; });
    return seen;
  };
  for (unsigned seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    platform.transport.socket_buffer = seed % 3 == 0 ? 3e5 : 8e6;
    platform.transport.switch_read_ahead = seed % 2 == 0 ? 0 : 262144;
    const std::vector<Sent> sent = random_traffic(seed);
    const std::vector<Seen> seen = play_shared(sent);
    check_arrivals(sent, seen, [](double bytes) { return bytes / kBandwidth + kWay; });
    CHECK(same(seen, play_shared(sent)));
  }
}
