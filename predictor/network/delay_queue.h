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
#include <tuple>
#include <vector>

namespace farcast::network {

template <class Thing> class DelayQueue {
public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // Requires: !empty().
  [[nodiscard]] double top_time() const { return first_of(next_run()).time; }

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
    if (best != nullptr) return best->entries.push_back(entry);
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  // Calls use(thing) for each that is due. `use` pushes nothing.
  template <class Use> void take(double due, Use use) {
    while (size_ > 0) {
      const std::size_t run = next_run();
      const Entry& next = first_of(run);
      if (next.time > due) return;
      const Thing thing = next.thing;
      if (run < runs_.size()) {
        runs_[run].drop_first();
      } else {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        heap_.pop_back();
      }
      --size_;
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
  static constexpr std::size_t kMuch = 1024; // entries that were taken and still lie there

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

  // Requires: !empty(). Returns: the run whose first is the next of all, or runs_.size(): the
  // heap's is.
  [[nodiscard]] std::size_t next_run() const {
    std::size_t best = runs_.size();
    const Entry* next = heap_.empty() ? nullptr : &heap_.front();
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Run& run = runs_[i];
      if (run.empty() || (next != nullptr && !(*next > run.entries[run.first]))) continue;
      next = &run.entries[run.first];
      best = i;
    }
    return best;
  }
  [[nodiscard]] const Entry& first_of(std::size_t run) const {
    return run < runs_.size() ? runs_[run].entries[runs_[run].first] : heap_.front();
  }

  std::vector<Run> runs_;
  std::vector<Entry> heap_;
  std::size_t size_ = 0;
  std::uint64_t order_ = 0;
};

} // namespace farcast::network
