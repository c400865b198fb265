// A hash map in one array: keys and values side by side, linear probing, no tombstones.
//
// Invariants: 1. at most 7/8 of the slots are in use; 2. a key is found by walking from its home
// slot to the first free one (erase moves later keys back to keep this true). Values move on insert
// and erase: keep no pointers across them. The order of the slots is never looked at, so results do
// not depend on the hash.
// Threads: none; one owner. Rejected: std::unordered_map, whose node per key costs an allocation
// per message; a library's table, which the engine's fetching ahead (fetch()) cannot see into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::base {

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL; // 2^64 / golden ratio: its multiples are well spread

// Returns: a well-mixed 64-bit value (the finaliser of MurmurHash3); of 0, 0.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33;
  return x;
}

struct MixHash {
  constexpr std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
};

template <class Key, class Value, class Hash = MixHash> class FlatMap {
public:
  [[nodiscard]] std::size_t size() const { return size_; }

  // Returns: the value of `key`, or null.
  [[nodiscard]] const Value* find(const Key& key) const {
    if (size_ == 0) return nullptr;
    for (std::size_t at = home(key);; at = (at + 1) & mask_) {
      if (!slots_[at].used) return nullptr;
      if (slots_[at].key == key) return &slots_[at].value;
    }
  }
  [[nodiscard]] Value* find(const Key& key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

  // Fetches where `key` is, or would be, into the cache.
  void fetch(const Key& key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(key)], 1);
  }

  // Returns: the value of `key`, made by default when it was not there, and whether it was made.
  std::pair<Value*, bool> emplace(const Key& key) {
    if (slots_.empty() || size_ + 1 > slots_.size() / 8 * 7) grow();
    std::size_t at = home(key);
    for (; slots_[at].used; at = (at + 1) & mask_) {
      if (slots_[at].key == key) return {&slots_[at].value, false};
    }
    slots_[at].key = key;
    slots_[at].value = Value{};
    slots_[at].used = true;
    ++size_;
    return {&slots_[at].value, true};
  }

  // Returns: whether `key` was there.
  bool erase(const Key& key) {
    if (size_ == 0) return false;
    std::size_t at = home(key);
    while (slots_[at].used && !(slots_[at].key == key)) at = (at + 1) & mask_;
    if (!slots_[at].used) return false;
    close_gap(at);
    --size_;
    return true;
  }
  // The same, of a key whose value find() or emplace() gave and nothing has moved since.
  void erase_at(const Value* value) {
    const auto* const first = reinterpret_cast<const char*>(&slots_.front().value);
    close_gap(static_cast<std::size_t>(reinterpret_cast<const char*>(value) - first) / sizeof(Slot));
    --size_;
  }

private:
  struct Slot {
    Key key{};
    Value value{};
    bool used = false;
  };

  [[nodiscard]] std::size_t home(const Key& key) const { return static_cast<std::size_t>(Hash{}(key)) & mask_; }

  void close_gap(std::size_t gap) {
    for (std::size_t at = (gap + 1) & mask_; slots_[at].used; at = (at + 1) & mask_) {
      const std::size_t distance = (at - home(slots_[at].key)) & mask_;
      if (distance >= ((at - gap) & mask_)) {
        slots_[gap] = std::move(slots_[at]);
        gap = at;
      }
    }
    slots_[gap] = Slot{};
  }

  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (Slot& slot : old) {
      if (!slot.used) continue;
      std::size_t at = home(slot.key);
      while (slots_[at].used) at = (at + 1) & mask_;
      slots_[at] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

} // namespace farcast::base
