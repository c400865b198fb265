// Slots in as few bytes as they differ from an earlier one like them: calls of a site are mostly alike
// but for their times, so that 64 bytes become some 12.
//
// A packed block is, per slot: the place of the one that it is told by in a table of kPackingPlaces (all
// zero at first, each time), which it takes itself; a bit for each of its kSlotWords words that is
// another one; these words. Pure functions, any thread.
#pragma once

#include "libinterpose/stream/record.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace farcast::trace {

inline constexpr std::size_t kPackingPlaces = 256;
inline constexpr std::size_t kSlotWords = stream::kSlotBytes / sizeof(std::uint32_t);
// Of one slot, at most.
inline constexpr std::size_t kMostPackedBytes = sizeof(std::uint8_t) + sizeof(std::uint16_t) + stream::kSlotBytes;

// Requires: out has kMostPackedBytes for each slot. Returns: how many bytes it took.
std::size_t pack(std::span<const stream::Slot> slots, std::span<std::byte> out);
// Returns: whether `packed` was slots.size() slots, no more and no less; they are undefined otherwise.
bool unpack(std::span<const std::byte> packed, std::span<stream::Slot> slots);

} // namespace farcast::trace
