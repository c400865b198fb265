// Verdicts on addresses, kept so that each is found once: a table of one thread.
//
// An address has kWays places from its home on. With one place each, some two of a hundred addresses
// would share it in nearly every process, and in some process two that take turns: each verdict asks
// the dynamic linker then, which takes up to 50 us where a library has many symbols.
// Invariant: memory that is all zero is an empty table; no address is 0.
#pragma once

#include <cstdint>

namespace farcast::interpose {

template <class Verdict> class SiteCache {
public:
  // Returns: the verdict on the address; null where none is kept.
  [[nodiscard]] const Verdict* find(std::uint64_t address) const {
    for (std::uint32_t way = 0; way < kWays; ++way) {
      const Entry& entry = entries_[place(address, way)];
      if (entry.address == address) return &entry.verdict;
    }
    return nullptr;
  }
  // Keeps the verdict on an address that has none; where its places are taken, one of them, each in
  // turn, is given up.
  Verdict add(std::uint64_t address, Verdict verdict) {
    std::uint32_t way = 0;
    while (way < kWays && entries_[place(address, way)].address != 0) ++way;
    if (way == kWays) way = turn_++ % kWays;
    entries_[place(address, way)] = {address, verdict};
    return verdict;
  }

private:
  static constexpr std::uint32_t kSize = 1024;
  static constexpr std::uint32_t kWays = 8;
  struct Entry {
    std::uint64_t address;
    Verdict verdict;
  };
  static std::uint32_t place(std::uint64_t address, std::uint32_t way) {
    return static_cast<std::uint32_t>((address >> 1) + way) % kSize;
  }

  Entry entries_[kSize];
  std::uint32_t turn_;
};

} // namespace farcast::interpose
