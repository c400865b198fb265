// The cores that hosts have in common which are containers or virtual machines of one machine, and the switch between them,
// which is software on the same cores: work that comes while all cores are busy waits.
//
// In: work for messages, when it comes. Out: when it is done. Seconds.
//   1. Cores serve work in the order in which it comes, and do not leave it before it is done: it is much shorter than a time
//      slice.
//   2. The switch is one thread that goes before all processes: a frame waits for the switch's earlier frames alone, and the core
//      that is free first does the work.
//   3. Alone on the machine everything takes the time that was measured there: only waiting comes on top. So the work of the
//      switch makes no frame of its own later, but keeps a core from others. (That processes wake later in company is not waiting
//      for a core; it is measured: Transport::shared_handling.)
// Computation is no such work: what it takes in company is measured (region slowdowns). Threads: none; one owner. The same calls
// give the same bits.
#pragma once

#include "predictor/platform/platform.h"

#include <algorithm>
#include <cstddef>
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
    double& core = *std::min_element(free_at_.begin(), free_at_.end());
    core = std::max(core, now) + work;
    return core;
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
  // Returns: when the switch begins with it.
  double keep_switch_busy(double now, double work) {
    done(now, work);
    const double begin = std::max(now, switch_free_at_);
    switch_free_at_ = begin + work;
    return begin;
  }

  const platform::Transport& transport_;
  std::vector<double> free_at_; // [core]
  double switch_free_at_ = 0;
};

} // namespace farcast::network
