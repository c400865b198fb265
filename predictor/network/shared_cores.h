// The cores that hosts have in common which are containers or virtual machines of one machine, and the switch between them,
// which is software on a core of its own: work that comes while all cores are busy waits.
//
// In: work for messages, when it comes. Out: when it is done. Seconds.
//   1. Cores serve work in the order in which it comes, and do not leave it before it is done: it is much shorter than a time
//      slice.
//   2. The switch is one thread with a core of its own: a frame waits for its earlier frames alone.
//   3. A process that has nothing to do looks for messages, in turns with others that do, while a core has no work. It falls
//      asleep when its looks have taken the work of sleeping, most of which they are.
//   4. Alone on the machine everything takes the time that was measured there: only waiting comes on top. So the work of the
//      switch makes no frame of its own later. (That processes wake later in company is not waiting for a core; it is measured:
//      Transport::shared_handling.)
// Computation is no such work: what it takes in company is measured (region slowdowns). Threads: none; one owner. The same calls
// give the same bits.
#pragma once

#include "predictor/platform/platform.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::network {

class SharedCores {
public:
  // Requires: transport.shared_cores > 0; `transport` must outlive it.
  explicit SharedCores(const platform::Transport& transport)
      : transport_(transport), free_at_(static_cast<std::size_t>(transport.shared_cores), 0.0) {}

  // Returns: when `work` that comes now is done. Requires: now not before any earlier call's.
  double done(double now, double work) {
    if (!(work > 0)) return now;
    count_looks(now);
    double& core = *std::min_element(free_at_.begin(), free_at_.end());
    core = std::max(core, now) + work;
    return core;
  }

  // A process has nothing to do from now on. Requires: now not before any earlier call's; so in the next ones.
  void look(std::uint32_t process, double now) {
    count_looks(now);
    std::erase_if(lookers_, [process](const Looker& one) { return one.process == process; });
    lookers_.push_back({process, looked_});
  }

  // It has something to do. Returns: whether it had fallen asleep.
  bool sleeps(std::uint32_t process, double now) {
    count_looks(now);
    return std::erase_if(lookers_, [process](const Looker& one) { return one.process == process; }) == 0;
  }

  // The switch takes a frame from its sender, or gives it to its receiver. Returns: when it comes to that.
  double carry(double now, double bytes) {
    double work = transport_.switch_frame_work.value() + transport_.switch_byte_work_s * bytes;
    if (switch_free_at_ <= now) work += transport_.switch_waking_work.value();
    return keep_switch_busy(now, work);
  }

  // A process sleeps for the frame that the switch gives to its host now: the call that gives it also wakes the process.
  void wake_receiver(double now) { keep_switch_busy(now, transport_.switch_notify_work.value()); }

private:
  void count_looks(double now) {
    double at = std::exchange(counted_until_, std::max(counted_until_, now));
    while (at < now && !lookers_.empty()) {
      double until = now; // as many cores are free from `at` to here
      std::size_t idle = 0;
      for (const double free_at : free_at_) {
        if (free_at <= at)
          ++idle;
        else
          until = std::min(until, free_at);
      }
      const double share = std::min(1.0, static_cast<double>(idle) / static_cast<double>(lookers_.size()));
      const double asleep_at = lookers_.front().since + transport_.waking_work.value();
      if (looked_ + (until - at) * share <= asleep_at) {
        looked_ += (until - at) * share;
        at = until;
        continue;
      }
      at += std::max(0.0, asleep_at - looked_) / share;
      looked_ = std::max(looked_, asleep_at);
      lookers_.erase(lookers_.begin());
    }
  }

  // Returns: when the switch begins with it.
  double keep_switch_busy(double now, double work) {
    const double begin = std::max(now, switch_free_at_);
    switch_free_at_ = begin + work;
    return begin;
  }

  const platform::Transport& transport_;
  std::vector<double> free_at_; // [core]
  struct Looker {
    std::uint32_t process;
    double since; // of looked_
  };
  std::vector<Looker> lookers_; // awake; in the order in which they began
  double looked_ = 0;           // s: how long one that looked from the start would have
  double counted_until_ = 0;    // s
  double switch_free_at_ = 0;
};

} // namespace farcast::network
