// Pieces of a segment are what the receiver's TCP needs to take them for packets: each with its
// place, its length and its sums.
#include "scripts/bottle/switch/piece.h"
#include "unit/bottle/tcp_segment.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <vector>

using namespace farcast::bottle;

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
