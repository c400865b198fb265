// A queue of things that become due after a delay, for delays of which there are few different ones.
//
// How: things that come in with ascending times form a run, in which the next one simply follows; a
// thing goes to the run whose last time is the nearest before its own. As many runs as there are
// delays hold everything, for "now" ascends. What fits into none of the runs there may be is kept
// in a heap.
// Invariant: things come out by (time, order of coming in). Threads: none; one owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <vector>

namespace farcast::network {

template <class Thing> class DelayQueue {
public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // Returns: when the next one is due; infinity when there is none.
  [[nodiscard]] double top_time() const { return next_time_; }

  void push(double time, const Thing& thing) {
    ++size_;
    const Entry entry{time, order_++, thing};
    Run* best = nullptr;
    Run* unused = nullptr;
    for (Run& run : runs_) {
      if (run.empty())
        unused = &run;
      else if (run.entries.back().time <= time && (best == nullptr || run.entries.back().time > best->entries.back().time))
        best = &run;
    }
    if (best == nullptr) best = unused;
    if (best == nullptr && runs_.size() < kMostRuns) best = &runs_.emplace_back();
    if (time < next_time_) {
      next_time_ = time;
      next_run_ = best == nullptr ? kHeap : static_cast<std::size_t>(best - runs_.data());
    }
    if (best != nullptr) return best->entries.push_back(entry);
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  // Calls use(thing) for each that is due. `use` pushes nothing.
  template <class Use> void take(double due, Use use) {
    while (size_ > 0 && next_time_ <= due) {
      const Thing thing = take_first();
      use(thing);
    }
  }

  // Calls visit(thing) for those among the next few of each run that no earlier call has shown.
  template <class Visit> void look_ahead(Visit visit) {
    for (Run& run : runs_) {
      const std::size_t end = std::min(run.first + kFew, run.entries.size());
      for (run.shown = std::max(run.shown, run.first); run.shown < end; ++run.shown) visit(run.entries[run.shown].thing);
    }
  }

private:
  static constexpr std::size_t kMostRuns = 8;
  static constexpr std::size_t kFew = 24;
  static constexpr std::size_t kHeap = SIZE_MAX; // in place of a run
  static constexpr std::size_t kMuch = 1024;     // entries that were taken and still lie there

  struct Entry {
    double time;
    std::uint64_t order;
    Thing thing;
    bool operator>(const Entry& other) const { return std::tie(time, order) > std::tie(other.time, other.order); }
  };
  struct Run {
    std::vector<Entry> entries; // ascending
    std::size_t first = 0;      // those before it were taken
    std::size_t shown = 0;      // by look_ahead()

    [[nodiscard]] bool empty() const { return first == entries.size(); }
    void drop_first() {
      if (++first < entries.size() && (first < kMuch || first * 2 < entries.size())) return;
      entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(first));
      shown -= std::min(first, shown);
      first = 0;
    }
  };

  // Requires: !empty().
  Thing take_first() {
    --size_;
    if (next_run_ == kHeap) {
      const Thing thing = heap_.front().thing;
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      heap_.pop_back();
      find_next();
      return thing;
    }
    Run& run = runs_[next_run_];
    const Thing thing = run.entries[run.first].thing;
    run.drop_first();
    if (run.entries.size() - run.first == size_ && size_ > 0)
      next_time_ = run.entries[run.first].time; // nothing is anywhere else
    else
      find_next();
    return thing;
  }

  void find_next() {
    next_run_ = kHeap;
    const Entry* next = heap_.empty() ? nullptr : &heap_.front();
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run& run = runs_[i];
      if (run.empty() || (next != nullptr && !(*next > run.entries[run.first]))) continue;
      next = &run.entries[run.first];
      next_run_ = i;
    }
    next_time_ = next == nullptr ? std::numeric_limits<double>::infinity() : next->time;
  }

  std::vector<Run> runs_;
  std::vector<Entry> heap_;
  std::size_t size_ = 0;
  std::uint64_t order_ = 0;
  double next_time_ = std::numeric_limits<double>::infinity(); // of the next one to come out
  std::size_t next_run_ = kHeap;                               // where it is
};

} // namespace farcast::network
