// When each strand of the engine goes on: a priority queue in the fixed order time, then rank, then
// the order of entry.
//
// Threads: none; one owner.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace farcast::sim {

class EventQueue {
public:
  struct Event {
    double time;
    std::uint64_t sequence;
    std::uint32_t rank;
    std::uint32_t strand;
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] double next_time() const { return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().time; }

  void push(double time, std::uint32_t rank, std::uint32_t strand) {
    const Event event{time, sequence_++, rank, strand};
    std::size_t at = heap_.size();
    heap_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!before(event, heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  // Requires: !empty().
  Event pop() {
    const Event first = heap_.front();
    const Event moving = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    while (at * kArity + 1 < size) {
      std::size_t least = at * kArity + 1;
      const std::size_t last = least + kArity < size ? least + kArity : size;
      for (std::size_t child = least + 1; child < last; ++child) {
        if (before(heap_[child], heap_[least])) least = child;
      }
      if (!before(heap_[least], moving)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    if (size > 0) heap_[at] = moving;
    return first;
  }

  // Calls see(event) for each, in no order.
  template <class See> void for_each(See see) const {
    for (const Event& event : heap_) see(event);
  }

private:
  static constexpr std::size_t kArity = 4;
  static bool before(const Event& a, const Event& b) {
    if (a.time != b.time) return a.time < b.time;
    return a.rank != b.rank ? a.rank < b.rank : a.sequence < b.sequence;
  }
  std::vector<Event> heap_;
  std::uint64_t sequence_ = 0;
};

} // namespace farcast::sim
