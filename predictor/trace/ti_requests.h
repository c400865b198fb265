// Requests of a rank that its trace names by (source, destination, tag), as SimGrid does; the
// oldest of equals goes first.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::trace {

class TiRequests {
public:
  struct Key {
    int source, destination, tag;
    std::uint32_t communicator;
    bool operator==(const Key&) const = default;
  };

  void add(const Key& key, std::uint32_t id) {
    if (live_ == 0) {
      entries_.clear();
      first_ = 0;
    }
    if (first_ > kTidyAt && first_ * 2 > entries_.size()) {
      entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    entries_.push_back({key, id});
    ++live_;
  }

  // Returns: 0 when there is none.
  std::uint32_t take(const Key& key) {
    while (first_ < entries_.size() && entries_[first_].id == 0) ++first_;
    for (std::size_t i = first_; i < entries_.size(); ++i) {
      Entry& entry = entries_[i];
      if (entry.id == 0 || !(entry.key == key)) continue;
      --live_;
      return std::exchange(entry.id, 0);
    }
    return 0;
  }

  // Appends all that is left, oldest first.
  void take_all(std::vector<std::uint32_t>& out) {
    for (const Entry& entry : entries_) {
      if (entry.id != 0) out.push_back(entry.id);
    }
    entries_.clear();
    first_ = live_ = 0;
  }
  [[nodiscard]] bool empty() const { return live_ == 0; }

private:
  static constexpr std::size_t kTidyAt = 64;
  struct Entry {
    Key key;
    std::uint32_t id; // 0: taken
  };
  std::vector<Entry> entries_;
  std::size_t first_ = 0; // entries before it are taken
  std::size_t live_ = 0;
};

} // namespace farcast::trace
