// A vector whose items are named by their index, and are used again once they are given back.
#pragma once

#include <cstdint>
#include <vector>

namespace farcast::base {

// Returns: the index of an item that nobody uses: the one given back last, as it was left, or else
// a new one at the end. `items` may be anything with emplace_back() and size().
template <class Items> std::uint32_t take_slot(Items& items, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    items.emplace_back();
    return static_cast<std::uint32_t>(items.size() - 1);
  }
  const std::uint32_t index = free.back();
  free.pop_back();
  return index;
}

} // namespace farcast::base
