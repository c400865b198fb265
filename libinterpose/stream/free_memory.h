// How much memory this process could still take: what the machine has left, and what its control
// groups allow (v1 and v2).
//
// A file's page cache counts as free where the kernel would give it back. Only system calls on
// buffers of its own: the interposer asks in the middle of a call.
#pragma once

#include <cstdint>

namespace farcast::stream {

inline constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

// `root`: a folder in front of /proc and /sys, for tests. Returns: bytes; kUnlimited where nothing
// can be read.
std::uint64_t free_memory(const char* root = "");

// What farcast takes at most of the memory that is free: an eighth for the rings of all ranks of
// the node, an eighth for the records in the predictor. The program keeps the rest, and may still
// grow.
inline constexpr std::uint64_t kShareOfFree = 8;

// Returns: whether the rings of one of `ranks` ranks of a node may grow by `more` bytes beyond the
// `held` that they have.
constexpr bool may_grow(std::uint64_t free, std::uint64_t held, std::uint64_t more, std::uint64_t ranks) {
  if (free == kUnlimited) return true;
  // What the other ranks hold is no longer free: as much as this one has is taken for each of them.
  return (held + more) * ranks <= (free + held * ranks) / kShareOfFree;
}

} // namespace farcast::stream
