// A lock of slow paths: needs no initialiser and no allocation, and yields while it waits. Never on
// the hot path.
#pragma once

#include <atomic>
#include <sched.h>

namespace farcast::interpose {

class SpinGuard {
public:
  explicit SpinGuard(std::atomic_flag& lock) : lock_(lock) {
    while (lock_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~SpinGuard() { lock_.clear(std::memory_order_release); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

private:
  std::atomic_flag& lock_;
};

} // namespace farcast::interpose
