// Pieces of a segment are what the receiver's TCP needs to take them for packets: each with its
// place, its length and its sums.
#include "scripts/bottle/switch/piece.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <vector>

using namespace farcast::bottle;

namespace {

constexpr std::size_t kIp = kOffloadHeader + kEthernetHeader, kTcp = kIp + 20, kPayload = kTcp + 32; // with time stamps
constexpr std::uint32_t kSequence = 0xFFFFF000U;                                                     // wraps within the segment
constexpr std::uint16_t kIdentification = 0xFFFE;
constexpr std::uint8_t kPush = 0x08, kFin = 0x01, kAck = 0x10;

void put(std::uint8_t* at, std::uint32_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = static_cast<std::uint8_t>(value >> 8 * (bytes - 1 - i));
}
std::uint32_t get(const std::uint8_t* at, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8U | at[i];
  return value;
}
void put_own(std::uint8_t* at, std::uint16_t value) { std::memcpy(at, &value, sizeof value); }

std::uint32_t folded(std::uint32_t sum) {
  while (sum >> 16U != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return sum;
}
std::uint32_t sum_of(const std::uint8_t* from, std::size_t bytes) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < bytes; at += 2) sum += get(from + at, 2);
  return folded(sum);
}
// RFC 9293 3.1: addresses, protocol and length of what follows the IP header.
std::uint32_t pseudo_header(const std::uint8_t* ip, std::size_t bytes) {
  return folded(sum_of(ip + 12, 8) + 6 + static_cast<std::uint32_t>(bytes));
}

// A segment of TCP as a kernel leaves it to a card: packets of `segment` bytes, the sum of the
// pseudo header in the sum's place.
std::unique_ptr<Frame> segment_of(std::size_t payload, std::uint16_t segment) {
  auto frame = std::make_unique<Frame>();
  frame->resize(kPayload + payload);
  std::uint8_t* at = frame->data();
  std::memset(at, 0, kPayload);
  at[0] = 1; // VIRTIO_NET_HDR_F_NEEDS_CSUM
  at[1] = 1; // VIRTIO_NET_HDR_GSO_TCPV4
  put_own(at + 2, kPayload - kOffloadHeader);
  put_own(at + 4, segment);
  put_own(at + 6, kTcp - kOffloadHeader);
  put_own(at + 8, 16);
  put(at + kIp - 2, 0x0800, 2);
  at[kIp] = 0x45;
  put(at + kIp + 2, static_cast<std::uint32_t>(20 + 32 + payload), 2);
  put(at + kIp + 4, kIdentification, 2);
  at[kIp + 9] = 6;
  put(at + kIp + 12, 0x0A4D0001, 4);
  put(at + kIp + 16, 0x0A4D0002, 4);
  put(at + kTcp + 4, kSequence, 4);
  at[kTcp + 12] = 8 << 4U;
  at[kTcp + 13] = kAck | kPush | kFin;
  put(at + kTcp + 16, pseudo_header(at + kIp, 32 + payload), 2);
  for (std::size_t i = 0; i < payload; ++i) at[kPayload + i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return frame;
}

} // namespace

TEST_CASE("pieces are together the segment, each with its place, length, flags and sums") {
  const std::size_t payload = 10 * 1448 + 100;
  const auto frame = segment_of(payload, 1448);
  REQUIRE(packets_of(*frame) == 11);
  std::vector<std::uint8_t> all;
  for (std::size_t first = 0; first < 11; first += 4) {
    const std::size_t last = std::min<std::size_t>(first + 4, 11);
    const Piece piece = piece_of(*frame, first, last);
    const std::uint8_t* ip = piece.headers.data() + kIp;
    const std::uint8_t* tcp = piece.headers.data() + kTcp;
    REQUIRE(piece.header_bytes == kPayload);
    CHECK(get(ip + 2, 2) == 20 + 32 + piece.payload.size());
    CHECK(get(ip + 4, 2) == ((kIdentification + first) & 0xffffU));
    CHECK(sum_of(ip, 20) == 0xffff);
    CHECK(get(tcp + 4, 4) == kSequence + static_cast<std::uint32_t>(all.size()));
    CHECK(get(tcp + 16, 2) == pseudo_header(ip, 32 + piece.payload.size()));
    CHECK((tcp[13] & kAck) != 0);
    CHECK((tcp[13] & (kPush | kFin)) == (last == 11 ? kPush | kFin : 0)); // the stream ends with the last one only
    all.insert(all.end(), piece.payload.begin(), piece.payload.end());
  }
  REQUIRE(all.size() == payload);
  CHECK(std::memcmp(all.data(), frame->data() + kPayload, payload) == 0);
}

TEST_CASE("a piece of one packet is no segment any more") {
  const auto frame = segment_of(2000, 1448);
  const Piece piece = piece_of(*frame, 1, 2);
  CHECK(piece.headers[1] == 0);                            // VIRTIO_NET_HDR_GSO_NONE
  CHECK((piece.headers[4] == 0 && piece.headers[5] == 0)); // no packets in it
  CHECK(piece.headers[0] == 1);                            // its sum is still to be made
  CHECK(piece.payload.size() == 552);
}

TEST_CASE("what is not a segment of TCP over IPv4 is not cut") {
  const auto frame = segment_of(5000, 1448);
  SECTION("no segments") { frame->data()[1] = 0; }
  SECTION("IPv6") { frame->data()[1] = 4; }
  SECTION("packets without a length") { put_own(frame->data() + 4, 0); }
  SECTION("without a sum to be made") { frame->data()[0] = 0; }
  SECTION("headers longer than the frame") { frame->resize(kTcp + 24); }
  CHECK(packets_of(*frame) == 1);
}

TEST_CASE("what the packets from one on take of a wire has headers for each") {
  const auto frame = segment_of(10 * 1448 + 100, 1448);
  CHECK(frame->wire_bytes_from(0) == frame->wire_size().total_bytes);
  CHECK(frame->wire_bytes_from(10) == 100 + 66 + 24);
  CHECK(frame->wire_bytes_from(8) == 2 * (1448 + 66 + 24) + 100 + 66 + 24);
  CHECK(frame->wire_bytes_from(11) == 0);
}
