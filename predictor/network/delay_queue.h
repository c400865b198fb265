// A queue of things that become due at given times, for times that many have in common: what comes in a row with one time costs
// one entry of the heap.
//
// Invariant: things come out by (time, order of coming in). Threads: none; one owner.
#pragma once

#include "predictor/base/slots.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace farcast::network {

template <class Thing> class DelayQueue {
public:
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] double top_time() const { return heap_.front().time; }

  void push(double time, const Thing& thing) {
    if (newest_ == kNone || newest_time_ != time)
      begin(time, thing);
    else
      rows_[newest_].others.push_back(thing);
  }

  // Calls visit(row) for the rows near the top: the next few are among them.
  template <class Visit> void for_each_near(Visit visit) const {
    const std::size_t near = std::min(heap_.size(), kNear);
    for (std::size_t at = 0; at < near; ++at) visit(heap_[at].row);
  }
  void fetch(std::uint32_t row) const { __builtin_prefetch(&rows_[row]); }
  // Returns: what came first in a row, or in the one that had its number last.
  [[nodiscard]] const Thing& first_of(std::uint32_t row) const { return rows_[row].first; }

  // Calls use(thing) for each that is due. `use` pushes nothing.
  template <class Use> void take(double due, Use use) {
    while (!heap_.empty() && heap_.front().time <= due) {
      const std::uint32_t row = heap_.front().row;
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      if (row == newest_) newest_ = kNone;
      use(rows_[row].first);
      for (const Thing& thing : rows_[row].others) use(thing);
      rows_[row].others.clear();
      free_.push_back(row);
    }
  }

private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kNear = 15;
  struct Entry {
    double time;
    std::uint64_t order;
    std::uint32_t row;
    bool operator>(const Entry& other) const { return std::tie(time, order) > std::tie(other.time, other.order); }
  };

  struct Row {
    Thing first; // mostly the only one
    std::vector<Thing> others;
  };

  void begin(double time, const Thing& thing) {
    newest_ = base::take_slot(rows_, free_);
    rows_[newest_].first = thing;
    newest_time_ = time;
    heap_.push_back({time, order_++, newest_});
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  std::vector<Entry> heap_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> free_;
  std::uint32_t newest_ = kNone; // the row that was begun last, while it is in the heap
  double newest_time_ = 0;
  std::uint64_t order_ = 0;
};

} // namespace farcast::network
