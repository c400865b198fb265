// Which packets pass the wires when: by hand.
#include "scripts/bottle/switch/fabric.h"
#include "unit/bottle/tcp_segment.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

using namespace farcast::bottle;

namespace {

constexpr double kRate = 1e8;                           // bits per second
constexpr Nanoseconds kHalf = 400'000;                  // latency of a link
constexpr Nanoseconds kPacketTime = 8 * 1538 * 10;      // on a link, of 1448 bytes with their headers
constexpr Nanoseconds kSmallTime = 8 * (100 + 24) * 10; // of a frame of 100 bytes

Nanoseconds alone(std::size_t packets) { return static_cast<Nanoseconds>(packets + 1) * kPacketTime + 2 * kHalf; }

std::unique_ptr<Frame> small() {
  auto frame = std::make_unique<Frame>();
  frame->resize(kOffloadHeader + 100);
  std::memset(frame->data(), 0, frame->size());
  return frame;
}

void send(Fabric& fabric, std::size_t from, std::size_t to, std::unique_ptr<Frame> frame, Nanoseconds at) {
  const Passage passage = fabric.leave(from, frame->wire_size(), at);
  fabric.forward(from, to, std::move(frame), passage);
}

std::vector<Delivery> all(Fabric& fabric) {
  std::vector<Delivery> out;
  fabric.take_turns(std::numeric_limits<Nanoseconds>::max() / 2, out);
  return out;
}

std::vector<Delivery> from(std::size_t host, const std::vector<Delivery>& deliveries) {
  std::vector<Delivery> out;
  for (const Delivery& one : deliveries)
    if (one.segment->from == host) out.push_back(one);
  return out;
}

} // namespace

TEST_CASE("fabric: a segment alone crosses as its packets would, and comes in pieces of half a millisecond") {
  Fabric fabric(3, kRate, kHalf, 0);
  send(fabric, 0, 1, segment_of(std::size_t{10} * 1448, 1448), 0);
  const std::vector<Delivery> got = all(fabric);
  REQUIRE(got.size() == 3); // of 4, 4 and 2 packets
  CHECK(got[0].first == 0);
  CHECK(got[0].last == 4);
  CHECK(got[0].at == alone(4));
  CHECK(got[1].at == alone(8));
  CHECK(got[2].at == alone(10));
  CHECK(got[2].last == 10);
  CHECK_FALSE(fabric.waits());
}

TEST_CASE("fabric: packets of two hosts go by turns on the link of a third") {
  Fabric fabric(3, kRate, kHalf, 0);
  send(fabric, 0, 2, segment_of(std::size_t{20} * 1448, 1448), 0);
  send(fabric, 1, 2, segment_of(std::size_t{20} * 1448, 1448), 0);
  const std::vector<Delivery> got = all(fabric);
  const std::vector<Delivery> one = from(0, got), other = from(1, got);
  CHECK(one.back().at == alone(39));
  CHECK(other.back().at == alone(40));
  CHECK(one.front().last == 4); // as many as of a segment alone
  std::size_t packets = 0;
  for (const Delivery& piece : one) {
    CHECK(piece.first == packets);
    packets = piece.last;
  }
  CHECK(packets == 20);
}

TEST_CASE("fabric: a small frame waits for what has come before it, not for the rest of a segment") {
  Fabric fabric(3, kRate, kHalf, 0);
  send(fabric, 0, 2, segment_of(std::size_t{40} * 1448, 1448), 0);
  send(fabric, 1, 2, small(), 10 * kPacketTime);
  const std::vector<Delivery> got = all(fabric);
  const Nanoseconds undisturbed = 10 * kPacketTime + 2 * kSmallTime + 2 * kHalf;
  const std::vector<Delivery> told = from(1, got);
  REQUIRE(told.size() == 1);
  CHECK(told[0].at >= undisturbed);
  CHECK(told[0].at <= undisturbed + kPacketTime);
  CHECK(from(0, got).back().at == alone(40) + kSmallTime);
}

TEST_CASE("fabric: a backbone is shared by the packets of all that cross it") {
  for (const double share : {0.5, 1.0, 4.0}) {
    Fabric fabric(4, kRate, kHalf, share * kRate);
    send(fabric, 0, 2, segment_of(std::size_t{30} * 1448, 1448), 0);
    send(fabric, 1, 3, segment_of(std::size_t{30} * 1448, 1448), 0);
    send(fabric, 2, 3, small(), 0); // does not cross
    const std::vector<Delivery> got = all(fabric);
    INFO("backbone of " << share << " links");
    const auto slower = static_cast<Nanoseconds>(std::lround(static_cast<double>(kPacketTime) / share));
    const Nanoseconds first = kPacketTime + slower + kPacketTime + 2 * kHalf; // store and forward, three links
    const Nanoseconds pace = std::max(kPacketTime, 2 * slower);
    const Nanoseconds last = std::max(from(0, got).back().at, from(1, got).back().at);
    CHECK(last >= first + 29 * pace);
    CHECK(last <= first + 29 * pace + 2 * slower + 100);
    REQUIRE(from(2, got).size() == 1);
    CHECK(from(2, got)[0].at == 2 * kSmallTime + 2 * kHalf);
  }
}
