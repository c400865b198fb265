// A priority queue of (time, index) whose entries can be moved and taken out by index.
//
// Invariants: each index is in it at most once; the top is the smallest (time, index), so the order
// never depends on what was in it before. Threads: none; one owner.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::network {

class FinishQueue {
public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] double top_time() const { return heap_.front().first; }
  [[nodiscard]] std::uint32_t top() const { return heap_.front().second; }

  // Calls visit(index) for those that have come near the top since the last call, of the last few:
  // the next ones are mostly among them. Some come twice.
  template <class Visit> void look_ahead(Visit visit) {
    seen_ = std::max(seen_, near_count_ - std::min<std::uint64_t>(near_count_, near_.size()));
    for (; seen_ < near_count_; ++seen_) visit(near_[seen_ % near_.size()]);
  }

  // Puts `index` in at `time`, or moves it there.
  void set(std::uint32_t index, double time) {
    if (index >= place_.size()) place_.resize(index + 1, kAbsent);
    std::uint32_t at = place_[index];
    if (at == kAbsent) {
      at = static_cast<std::uint32_t>(heap_.size());
      heap_.emplace_back(time, index);
      place_[index] = at;
      sift_up(at);
      return;
    }
    const double old = heap_[at].first;
    heap_[at].first = time;
    if (time < old)
      sift_up(at);
    else
      sift_down(at);
  }

  void erase(std::uint32_t index) {
    if (index >= place_.size() || place_[index] == kAbsent) return;
    const std::uint32_t at = place_[index];
    place_[index] = kAbsent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    heap_[at] = last;
    place_[last.second] = at;
    sift_up(at);
    sift_down(place_[last.second]);
  }

  // Takes out all whose time is not after `due`, and appends them to `out`, smallest (time, index)
  // first.
  void take(double due, std::vector<std::uint32_t>& out) {
    if (heap_.empty() || heap_.front().first > due) return;
    if (!below_top(due)) { // nothing else is due
      out.push_back(heap_.front().second);
      return erase(heap_.front().second);
    }
    due_.clear();
    find_due(0, due);
    if (due_.size() > 1) std::sort(due_.begin(), due_.end());
    for (const Entry& entry : due_) out.push_back(entry.second);
    constexpr std::size_t kFew = 8; // of that many one is due: taking out each costs less than going through all
    if (due_.size() * kFew < heap_.size()) {
      for (const Entry& entry : due_) erase(entry.second);
      return;
    }
    for (const Entry& entry : due_) place_[entry.second] = kAbsent;
    std::erase_if(heap_, [due](const Entry& entry) { return entry.first <= due; });
    for (std::uint32_t at = 0; at < heap_.size(); ++at) place_[heap_[at].second] = at;
    for (std::uint32_t at = static_cast<std::uint32_t>(heap_.size() / kArity + 1); at-- > 0;) {
      if (at < heap_.size()) sift_down(at);
    }
  }

private:
  using Entry = std::pair<double, std::uint32_t>;
  static constexpr std::uint32_t kAbsent = UINT32_MAX;
  static constexpr std::uint32_t kArity = 4;
  static constexpr std::uint32_t kNearer = 1 + kArity + kArity * kArity;     // the first levels of the heap
  static constexpr std::uint32_t kNear = kNearer + kArity * kArity * kArity; // and the one below

  // Returns: whether an entry below the top is due.
  [[nodiscard]] bool below_top(double due) const {
    const std::size_t end = std::min<std::size_t>(kArity + 1, heap_.size());
    for (std::size_t child = 1; child < end; ++child) {
      if (heap_[child].first <= due) return true;
    }
    return false;
  }

  // Below an entry that is not due none is.
  void find_due(std::uint32_t at, double due) {
    if (at >= heap_.size() || heap_[at].first > due) return;
    due_.push_back(heap_[at]);
    for (std::uint32_t child = at * kArity + 1; child <= at * kArity + kArity; ++child) find_due(child, due);
  }

  void put(std::uint32_t at, Entry entry) {
    heap_[at] = entry;
    place_[entry.second] = at;
  }
  void note(std::uint32_t index) { near_[near_count_++ % near_.size()] = index; }

  void sift_up(std::uint32_t at) {
    const Entry moving = heap_[at];
    while (at > 0) {
      const std::uint32_t parent = (at - 1) / kArity;
      if (!(moving < heap_[parent])) break;
      put(at, heap_[parent]);
      at = parent;
    }
    put(at, moving);
    if (at < kNear) note(moving.second);
  }

  void sift_down(std::uint32_t at) {
    const Entry moving = heap_[at];
    const std::uint32_t size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      const std::uint32_t first = at * kArity + 1;
      if (first >= size) break;
      std::uint32_t least = first;
      const std::uint32_t last = first + kArity < size ? first + kArity : size;
      for (std::uint32_t child = first + 1; child < last; ++child) {
        if (heap_[child] < heap_[least]) least = child;
      }
      if (!(heap_[least] < moving)) break;
      put(at, heap_[least]);
      if (at >= kNearer && at < kNear) note(heap_[least].second);
      at = least;
    }
    put(at, moving);
  }

  std::vector<Entry> heap_;
  std::vector<Entry> due_;               // scratch of take()
  std::vector<std::uint32_t> place_;     // [index]
  std::array<std::uint32_t, 64> near_{}; // [number % size] that came near the top
  std::uint64_t near_count_ = 0;
  std::uint64_t seen_ = 0; // by look_ahead()
};

} // namespace farcast::network
