#include "predictor/base/workers.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace farcast::base {

void Workers::start(std::size_t count, std::size_t threads, std::function<void()> begin, std::function<void(std::size_t)> work) {
  count_ = count;
  begin_ = std::move(begin);
  work_ = std::move(work);
  const std::size_t most = std::min(threads, count);
  running_.store(most, std::memory_order_release);
  threads_.reserve(most);
  while (threads_.size() < most) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      running_.fetch_sub(most - threads_.size(), std::memory_order_acq_rel);
      if (threads_.empty()) throw;
      return;
    }
  }
}

void Workers::run() {
  try {
    if (begin_ != nullptr) begin_();
    for (std::size_t number = next_.fetch_add(1, std::memory_order_relaxed); number < count_;
         number = next_.fetch_add(1, std::memory_order_relaxed))
      work_(number);
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    fault_ = std::current_exception();
    next_.store(count_, std::memory_order_relaxed);
  }
  running_.fetch_sub(1, std::memory_order_acq_rel);
}

void Workers::join() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Workers::wait() {
  join();
  if (fault_ != nullptr) std::rethrow_exception(std::exchange(fault_, nullptr));
}

} // namespace farcast::base
