// The example of libinterpose/stream/README.md, byte for byte.
#include "libinterpose/stream/record.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <type_traits>

using namespace farcast::stream;

TEST_CASE("one MPI_Send in bytes") {
  const CallSlot send{SlotKind::call,       0,   7, kCommWorld, 0x0000123456789abc, 0x000055d0c0de1234, 8000, 3, 42,
                      pack_result(2100, 0), {0}, 0};
  const unsigned char expected[kSlotBytes] = {
      0x01, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00, //
      0x34, 0x12, 0xde, 0xc0, 0xd0, 0x55, 0x00, 0x00, 0x40, 0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, //
      0x03, 0x00, 0x00, 0x00, 0x2a, 0x00, 0x00, 0x00, 0x34, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, //
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
  CHECK(std::memcmp(&send, expected, kSlotBytes) == 0);
}

TEST_CASE("offsets and the packed result") {
  CHECK(offsetof(CallSlot, function) == 2);
  CHECK(offsetof(CallSlot, comm) == 4);
  CHECK(offsetof(CallSlot, t_enter) == 8);
  CHECK(offsetof(CallSlot, site) == 16);
  CHECK(offsetof(CallSlot, bytes) == 24);
  CHECK(offsetof(CallSlot, peer) == 32);
  CHECK(offsetof(CallSlot, tag) == 36);
  CHECK(offsetof(CallSlot, result) == 40);
  CHECK(offsetof(CallSlot, handle) == 48);
  CHECK(offsetof(CallSlot, status) == 48);
  CHECK(offsetof(CallSlot, result_bytes) == 56);
  CHECK(offsetof(ExtensionSlot, aux) == 4);
  CHECK(offsetof(ExtensionSlot, raw) == 8);
  CHECK(offsetof(ExtensionSlot, statuses) == 8);
  CHECK(std::is_trivially_copyable_v<Slot>);
  CHECK(duration_of(pack_result(kDurationMask, kOutcomeLarge)) == kDurationMask);
  CHECK(outcome_of(pack_result(kDurationMask, kOutcomeLarge)) == kOutcomeLarge);
  CHECK(outcome_of(pack_result(~std::uint64_t{0}, 0)) == 0); // a duration never spills into the outcome
}
