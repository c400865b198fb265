#include "libinterpose/stream/ring_reader.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <thread>
#include <unit/stream/shared_ring.h>
#include <utility>
#include <vector>

using namespace farcast::stream;

namespace {
constexpr auto kOk = RingReader::Status::ok;
constexpr auto kCorrupt = RingReader::Status::corrupt;
} // namespace

TEST_CASE("calls arrive in order, the last one only once another is published") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 4);
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  REQUIRE(reader.drain(out, false) == kOk);
  CHECK(out.empty());

  CallSlot* first = enter_call(writer, 1);
  REQUIRE(first != nullptr);
  REQUIRE(reader.drain(out, false) == kOk);
  CHECK(out.empty()); // not published
  writer.publish();
  REQUIRE(reader.drain(out, false) == kOk);
  CHECK(out.empty()); // published, its results may still come
  CHECK(reader.published() == 1);
  leave_call(*first, 1);
  REQUIRE(write_word(writer, SlotKind::message, 42)); // a result that follows the call
  REQUIRE(reader.drain(out, false) == kOk);
  CHECK(out.empty());

  REQUIRE(write_call(writer, 2));
  REQUIRE(reader.drain(out, false) == kOk);
  REQUIRE(out.size() == 2);
  CHECK(complete(out[0], 1));
  CHECK(out[1].kind == SlotKind::message);
  CHECK(out[1].extension.words[0] == 42);
  CHECK(reader.drained() == 2);
  CHECK(shared.ring().drained == 2);
}

TEST_CASE("entry extensions of the last call wait with it") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 4);
  REQUIRE(write_call(writer, 1));
  CallSlot* call = enter_call(writer, 2);
  REQUIRE(call != nullptr);
  for (std::uint64_t i = 0; i < 3; ++i) REQUIRE(write_word(writer, SlotKind::handles, i));
  writer.publish();
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  REQUIRE(reader.drain(out, false) == kOk);
  CHECK(out.size() == 1);
  leave_call(*call, 2);
  REQUIRE(write_call(writer, 3));
  REQUIRE(reader.drain(out, false) == kOk);
  REQUIRE(out.size() == 5);
  CHECK(complete(out[1], 2));
  CHECK(out[4].extension.words[0] == 2);
}

TEST_CASE("an end slot completes the last call") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 4);
  REQUIRE(write_call(writer, 1));
  REQUIRE(write_end(writer));
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  REQUIRE(reader.drain(out, false) == kOk);
  REQUIRE(out.size() == 2);
  CHECK(complete(out[0], 1));
  CHECK(out[1].kind == SlotKind::end);
}

TEST_CASE("when the writer is gone, its last call counts, with the results that it had") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 4);
  REQUIRE(write_call(writer, 1));
  REQUIRE(enter_call(writer, 2) != nullptr);
  writer.publish();
  REQUIRE(enter_call(writer, 3) != nullptr); // died before it was published
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  REQUIRE(reader.drain(out, false) == kOk);
  CHECK(out.size() == 1);
  REQUIRE(reader.drain(out, true) == kOk);
  REQUIRE(out.size() == 2);
  CHECK(entered(out[1], 2));
  CHECK(out[1].call.result == 0); // never returned
  REQUIRE(reader.drain(out, true) == kOk);
  CHECK(out.size() == 2); // each slot once
}

TEST_CASE("a drain takes several segments at once") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 8);
  constexpr std::uint64_t kCount = 3 * kSegmentSlots + 77;
  for (std::uint64_t i = 0; i < kCount; ++i) REQUIRE(write_call(writer, i));
  RingReader reader = shared.reader();
  RingReader moved = std::move(reader);
  std::vector<Slot> out;
  REQUIRE(moved.drain(out, false) == kOk);
  REQUIRE(out.size() == kCount - 1);
  for (std::uint64_t i = 0; i < out.size(); ++i) {
    if (!complete(out[i], i)) FAIL("slot " << i);
  }
}

TEST_CASE("numbers that cannot be are answered with corrupt") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 4);
  for (std::uint64_t i = 0; i < 10; ++i) REQUIRE(write_call(writer, i));
  RingReader reader = shared.reader();
  std::vector<Slot> out;

  SECTION("more published than a ring can hold") {
    for (const std::uint64_t published : {std::uint64_t{kMaxSegments} * kSegmentSlots + 1, ~std::uint64_t{0}}) {
      shared.ring().published = published;
      CHECK(reader.drain(out, false) == kCorrupt);
      CHECK(reader.drain(out, true) == kCorrupt);
    }
  }
  SECTION("more published than the file holds") {
    shared.ring().published = 5 * kSegmentSlots;
    CHECK(reader.drain(out, false) == kCorrupt);
    CHECK(reader.drain(out, true) == kCorrupt);
  }
  SECTION("less published than before") {
    REQUIRE(reader.drain(out, false) == kOk);
    shared.ring().published = 3;
    CHECK(reader.drain(out, false) == kCorrupt);
  }
  SECTION("a segment that no file can have") {
    for (const std::uint32_t physical : {kMaxSegments * kMaxThreads, 0xffffffffu}) {
      shared.ring().table[0] = physical;
      CHECK(reader.drain(out, false) == kCorrupt);
    }
    CHECK(out.empty());
  }
  SECTION("a segment beyond the end of this file") {
    shared.ring().table[0] = 1;
    CHECK(reader.drain(out, false) == kCorrupt);
    shared.ring().table[0] = kMaxSegments * kMaxThreads - 1;
    CHECK(reader.drain(out, true) == kCorrupt);
    CHECK(out.empty());
  }
  SECTION("a damaged drained count is the writer's own loss") {
    shared.ring().drained = ~std::uint64_t{0};
    REQUIRE(reader.drain(out, false) == kOk);
    CHECK(out.size() == 9);
    CHECK(shared.ring().drained == 9);
  }
}

TEST_CASE("slots of garbage are passed on as they are: their meaning is checked above") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, 4);
  for (int i = 0; i < 4; ++i) {
    Slot* slot = writer.reserve();
    REQUIRE(slot != nullptr);
    std::memset(static_cast<void*>(slot), 0xa5 + i, sizeof(Slot));
    writer.publish();
  }
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  REQUIRE(reader.drain(out, false) == kOk);
  CHECK(out.empty()); // no call among them: nothing is known to be complete
  REQUIRE(reader.drain(out, true) == kOk);
  CHECK(out.size() == 4);
}

TEST_CASE("writer and reader on two threads") {
  SharedRing shared;
  constexpr std::uint64_t kCalls = 100000;
  constexpr std::uint64_t kSegments = 8;
  std::thread producer([&shared] {
    RingWriter writer;
    shared.attach(writer, kSegments);
    for (std::uint64_t i = 0; i < kCalls; ++i) {
      // The real writer never waits; this one does, so that the bound is not what the test measures.
      while (writer.head() - shared.ring().drained.load() > (kSegments - 2) * kSegmentSlots) std::this_thread::yield();
      if (!write_call(writer, i)) return;
    }
    write_end(writer);
  });
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  std::uint64_t seen = 0;
  bool good = true;
  bool ended = false;
  while (good && !ended) {
    out.clear();
    good = reader.drain(out, false) == kOk;
    for (const Slot& slot : out) {
      if (slot.kind == SlotKind::end)
        ended = true;
      else
        good = good && complete(slot, seen++);
    }
    if (out.empty()) std::this_thread::yield();
  }
  producer.join();
  CHECK(good);
  CHECK(seen == kCalls);
}

TEST_CASE("a file that is one hole does not become the reader's memory") {
  SharedRing shared;
  const std::uint32_t far = kMaxThreads + kSegmentsOffset / kSegmentBytes + 2; // what lies before the segments has blocks
  REQUIRE(ftruncate(shared.file(), static_cast<off_t>(segment_offset(far + 1))) == 0);
  shared.ring().table[0].store(far);
  shared.ring().published.store(10);
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  CHECK(reader.drain(out, true) == RingReader::Status::corrupt);
  CHECK(out.empty());
}

TEST_CASE("extensions without an end are no call") {
  SharedRing shared;
  const std::uint64_t segments = kMostSlotsOfCall / kSegmentSlots + 2;
  REQUIRE(ftruncate(shared.file(), static_cast<off_t>(segment_offset(static_cast<std::uint32_t>(segments)))) == 0);
  // One segment that stands for all of them.
  REQUIRE(posix_fallocate(shared.file(), static_cast<off_t>(segment_offset(0)), kSegmentBytes) == 0);
  void* memory = mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared.file(), segment_offset(0));
  REQUIRE(memory != MAP_FAILED);
  for (std::uint64_t i = 0; i < kSegmentSlots; ++i) static_cast<Slot*>(memory)[i].kind = SlotKind::handles;
  munmap(memory, kSegmentBytes);
  shared.ring().published.store(segments * kSegmentSlots);
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  CHECK(reader.drain(out, false) == RingReader::Status::corrupt);
  CHECK(out.empty());
}

TEST_CASE("one poll takes a bounded number of slots, and the next one the rest") {
  SharedRing shared;
  RingWriter writer;
  shared.attach(writer, kMaxSegments);
  const std::uint64_t calls = kMostSlotsAtOnce + 1000;
  for (std::uint64_t i = 0; i < calls; ++i) REQUIRE(write_call(writer, i));
  RingReader reader = shared.reader();
  std::vector<Slot> out;
  REQUIRE(reader.drain(out, false) == RingReader::Status::ok);
  CHECK(out.size() == kMostSlotsAtOnce);
  CHECK(complete(out.back(), kMostSlotsAtOnce - 1));
  out.clear();
  REQUIRE(reader.drain(out, false) == RingReader::Status::ok);
  CHECK(out.size() == 999); // the last one may still change
  CHECK(complete(out.front(), kMostSlotsAtOnce));
}
