// Going through items that lie in no order that a cache could foresee, each of which leads from
// cache line to cache line.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace farcast::base {

inline constexpr std::size_t kFetchStep = 4;   // items between fetching one line of an item and the next
inline constexpr std::size_t kFetchMany = 512; // as many items fit into a cache with what they lead to

// Fetches all cache lines of an object.
template <class Object> void fetch_lines(const Object& object) {
  constexpr std::size_t kCacheLine = 64;
  const char* const at = reinterpret_cast<const char*>(&object);
  for (std::size_t byte = 0; byte < sizeof object; byte += kCacheLine) __builtin_prefetch(at + byte, 1);
}

// The last items that came up, where they come one by one: each new one fetches the next line of
// those before it.
template <class Item, std::size_t kSteps> class FetchWindow {
public:
  // Requires: full(), steps <= kSteps. Returns: the one that so many steps are before the next.
  [[nodiscard]] const Item& before(std::size_t steps) const { return items_[(count_ - steps * kFetchStep) % items_.size()]; }
  [[nodiscard]] bool full() const { return count_ >= items_.size(); }
  [[nodiscard]] bool has(const Item& item) const { return std::find(items_.begin(), items_.end(), item) != items_.end(); }
  void add(const Item& item) { items_[count_++ % items_.size()] = item; }

private:
  std::array<Item, kSteps * kFetchStep> items_{}; // [number % size]
  std::size_t count_ = 0;
};

// Calls use(items[i]) for each i, ascending. Where there are many, it calls each `fetch` for items
// that come later: the first one for those that are the farthest away, the second one, which may
// look at what that fetched, for nearer ones, and so on. `use` does not change `items`.
template <class Items, class Use, class... Fetch> void for_each_fetched(const Items& items, Use use, Fetch... fetch) {
  const std::size_t size = items.size();
  const bool many = size >= kFetchMany;
  for (std::size_t i = 0; i < size; ++i) {
    if (many) {
      std::size_t ahead = i + kFetchStep * sizeof...(fetch);
      ((ahead < size ? fetch(items[ahead]) : void(), ahead -= kFetchStep), ...);
    }
    use(items[i]);
  }
}

} // namespace farcast::base
