#include "libinterpose/stream/ring_writer.h"

#include <catch2/catch.hpp>
#include <unit/stream/shared_ring.h>
#include <vector>

using namespace farcast::stream;

TEST_CASE("the ring grows by whole segments, handed out in order") {
  SharedRing shared;
  RingWriter writer;
  CHECK_FALSE(writer.attached());
  shared.attach(writer, 8);
  CHECK(writer.attached());
  CHECK(shared.rank().segments == 0); // nothing before the first call
  for (std::uint64_t i = 0; i < 3 * kSegmentSlots; ++i) REQUIRE(write_call(writer, i));
  CHECK(shared.rank().segments == 3);
  CHECK(writer.head() == 3 * kSegmentSlots);
  for (std::uint32_t segment = 0; segment < 3; ++segment) CHECK(shared.ring().table[segment] == segment);
  REQUIRE(write_call(writer, 0));
  CHECK(shared.rank().segments == 4);
}

TEST_CASE("two rings of one file share its segments") {
  SharedRing shared;
  RingWriter first;
  RingWriter second;
  shared.attach(first, 8, 0);
  shared.attach(second, 8, 1);
  for (std::uint64_t i = 0; i < 2 * kSegmentSlots; ++i) {
    REQUIRE(write_call(first, i));
    REQUIRE(write_call(second, 2 * i));
  }
  CHECK(shared.rank().segments == 4);
  std::vector<Slot> one;
  std::vector<Slot> two;
  RingReader reader_one = shared.reader(0);
  RingReader reader_two = shared.reader(1);
  REQUIRE(reader_one.drain(one, true) == RingReader::Status::ok);
  REQUIRE(reader_two.drain(two, true) == RingReader::Status::ok);
  REQUIRE(one.size() == 2 * kSegmentSlots);
  REQUIRE(two.size() == 2 * kSegmentSlots);
  for (std::uint64_t i = 0; i < one.size(); ++i) {
    if (!complete(one[i], i) || !complete(two[i], 2 * i)) FAIL("slot " << i);
  }
}

TEST_CASE("memory of drained segments is used again") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 4);
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  std::uint64_t seen = 0;
  constexpr std::uint64_t kRounds = 3 * kMaxSegments / 2; // the table of segments wraps around as well
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    for (std::uint64_t i = 0; i < kSegmentSlots; ++i) {
      if (!write_call(writer, round * kSegmentSlots + i)) FAIL("refused in round " << round);
    }
    out.clear();
    REQUIRE(reader.drain(out, false) == RingReader::Status::ok);
    for (const Slot& slot : out) {
      if (!complete(slot, seen++)) FAIL("slot " << seen - 1);
    }
  }
  CHECK(seen == kRounds * kSegmentSlots - 1);
  CHECK(shared.rank().segments <= 2); // one being written, one being read
  CHECK_FALSE(writer.full());
}

TEST_CASE("at the bound the ring latches: what is in it stays readable, everything later is refused") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 2);
  constexpr std::uint64_t kIssued = 2 * kSegmentSlots + 500;
  std::uint64_t recorded = 0;
  for (std::uint64_t i = 0; i < kIssued; ++i) { // as the interposer does it: refused is the caller's count
    if (write_call(writer, i))
      ++recorded;
    else
      ++shared.ring().refused;
  }
  CHECK(writer.full());
  CHECK(recorded == 2 * kSegmentSlots);
  RingReader reader = shared.reader();
  CHECK(recorded + reader.refused() == kIssued);
  std::vector<Slot> out;
  REQUIRE(reader.drain(out, true) == RingReader::Status::ok);
  CHECK(out.size() == recorded);
  CHECK(writer.reserve() == nullptr); // room came back, but a hole in the middle would be worse than an end
  CHECK(writer.head() == recorded);
}

TEST_CASE("the bound is never more than the table holds") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 0);
  CHECK(writer.reserve() == nullptr);
  CHECK(writer.full());
  RingWriter greedy;
  shared.attach(greedy, 0xffffffff, 1);
  CHECK(write_call(greedy, 1));
}

TEST_CASE("a file that cannot grow is a full ring, not a fault") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 8);
  for (std::uint64_t i = 0; i < kSegmentSlots; ++i) REQUIRE(write_call(writer, i));
  REQUIRE(fcntl(shared.file(), F_ADD_SEALS, F_SEAL_GROW) == 0);
  CHECK_FALSE(write_call(writer, kSegmentSlots));
  CHECK(writer.full());
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  REQUIRE(reader.drain(out, true) == RingReader::Status::ok);
  CHECK(out.size() == kSegmentSlots);
}
