#include "predictor/trace/slot_packing.h"

#include <array>
#include <bit>
#include <cstring>

namespace farcast::trace {

namespace {

using Words = std::array<std::uint32_t, kSlotWords>;
static_assert(sizeof(Words) == stream::kSlotBytes);

using Table = std::array<Words, kPackingPlaces>;

Words words_of(const stream::Slot& slot) {
  Words words;
  std::memcpy(words.data(), &slot, sizeof(words));
  return words;
}

// Of a call: its function and site; of another slot: its kind.
std::uint8_t place_of(const stream::Slot& slot) {
  std::uint64_t key = static_cast<std::uint64_t>(slot.kind);
  if (slot.kind == stream::SlotKind::call) key += slot.call.site * 8 + slot.call.function;
  return static_cast<std::uint8_t>(stream::spread(key) >> 56);
}

} // namespace

std::size_t pack(std::span<const stream::Slot> slots, std::span<std::byte> out) {
  Table table{};
  std::byte* at = out.data();
  for (const stream::Slot& slot : slots) {
    const Words words = words_of(slot);
    const std::uint8_t place = place_of(slot);
    Words& like = table[place];
    std::byte* const head = at;
    at += sizeof(place) + sizeof(std::uint16_t);
    unsigned others = 0;
    for (std::size_t i = 0; i < kSlotWords; ++i) others |= static_cast<unsigned>(words[i] != like[i]) << i;
    for (unsigned left = others; left != 0; left &= left - 1) {
      std::memcpy(at, &words[static_cast<std::size_t>(std::countr_zero(left))], sizeof(std::uint32_t));
      at += sizeof(std::uint32_t);
    }
    const auto mask = static_cast<std::uint16_t>(others);
    std::memcpy(head, &place, sizeof(place));
    std::memcpy(head + sizeof(place), &mask, sizeof(mask));
    like = words;
  }
  return static_cast<std::size_t>(at - out.data());
}

bool unpack(std::span<const std::byte> packed, std::span<stream::Slot> slots) {
  Table table{};
  const std::byte* at = packed.data();
  const std::byte* const end = at + packed.size();
  for (stream::Slot& slot : slots) {
    std::uint8_t place = 0;
    std::uint16_t others = 0;
    if (end - at < static_cast<std::ptrdiff_t>(sizeof(place) + sizeof(others))) return false;
    std::memcpy(&place, at, sizeof(place));
    std::memcpy(&others, at + sizeof(place), sizeof(others));
    at += sizeof(place) + sizeof(others);
    if (static_cast<std::size_t>(end - at) < static_cast<std::size_t>(std::popcount(others)) * sizeof(std::uint32_t))
      return false;
    Words& like = table[place];
    for (unsigned left = others; left != 0; left &= left - 1) {
      std::memcpy(&like[static_cast<std::size_t>(std::countr_zero(left))], at, sizeof(std::uint32_t));
      at += sizeof(std::uint32_t);
    }
    std::memcpy(static_cast<void*>(&slot), like.data(), sizeof(like));
  }
  return at == end;
}

} // namespace farcast::trace
