// Slots in as few bytes as they differ from an earlier one like them.
#include "predictor/trace/slot_packing.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>
#include <vector>

using namespace farcast::trace;
namespace stream = farcast::stream;

namespace {

std::vector<std::byte> packed(const std::vector<stream::Slot>& slots) {
  std::vector<std::byte> out(slots.size() * kMostPackedBytes);
  out.resize(pack(slots, out));
  return out;
}

void check_comes_back(const std::vector<stream::Slot>& slots) {
  const std::vector<std::byte> bytes = packed(slots);
  std::vector<stream::Slot> back(slots.size());
  REQUIRE(unpack(bytes, back));
  CHECK((slots.empty() || std::memcmp(back.data(), slots.data(), slots.size() * sizeof(stream::Slot)) == 0));
}

std::vector<stream::Slot> any_slots(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<stream::Slot> out(count);
  for (stream::Slot& slot : out) {
    std::uint32_t words[kSlotWords];
    for (std::uint32_t& word : words) word = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : 0;
    std::memcpy(static_cast<void*>(&slot), words, sizeof(words));
  }
  return out;
}

// Two sites in turn, as of a ping-pong: only times differ, and what a receive was given.
std::vector<stream::Slot> ping_pong(std::size_t count) {
  std::vector<stream::Slot> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    stream::CallSlot& call = out[i].call = {};
    call.kind = stream::SlotKind::call;
    call.function = static_cast<std::uint16_t>(20 + i % 2);
    call.site = 0x7f0012345678 + 64 * (i % 2);
    call.t_enter = 1'000'000'000'000 + 1234 * i;
    call.result = stream::pack_result(900 + i % 77, 0);
    call.bytes = 8;
    call.peer = 1;
  }
  return out;
}

} // namespace

TEST_CASE("slots come back as they were, whatever is in them") {
  check_comes_back({});
  check_comes_back(ping_pong(10000));
  for (unsigned seed = 1; seed <= 20; ++seed) check_comes_back(any_slots(1000, seed));
  std::vector<stream::Slot> ones(3);
  std::memset(static_cast<void*>(ones.data()), 0xff, ones.size() * sizeof(stream::Slot));
  check_comes_back(ones);
}

TEST_CASE("calls that differ by their times alone take a fifth of their bytes") {
  const std::vector<stream::Slot> slots = ping_pong(8192);
  CHECK(packed(slots).size() * 5 < slots.size() * sizeof(stream::Slot));
}

TEST_CASE("packed slots that are cut, too many, too few or noise are told, and harm nobody") {
  const std::vector<std::byte> whole = packed(ping_pong(100));
  std::vector<stream::Slot> back(100);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) CHECK_FALSE(unpack(std::span(whole).first(cut), back));
  back.resize(99);
  CHECK_FALSE(unpack(whole, back));
  back.resize(101);
  CHECK_FALSE(unpack(whole, back));
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::byte> bytes(random() % 2000);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    unpack(bytes, back);
  }
}
