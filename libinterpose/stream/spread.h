// Fibonacci hashing: the upper bits of the product are well spread, whatever the keys have in common.
#pragma once

#include <cstdint>

namespace farcast::stream {

constexpr std::uint64_t spread(std::uint64_t key) { return key * 0x9e3779b97f4a7c15ull; } // 2^64 / golden ratio

} // namespace farcast::stream
