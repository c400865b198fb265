// Threads that share work whose parts have numbers: each takes the next number that nobody has, until
// none is left.
//
// Where the system gives fewer threads than asked for, those that there are do all of it. What a part
// throws ends the work. Threads: all functions for one owner; what the parts use outlives it.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace farcast::base {

class Workers {
public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { join(); }

  // Each thread calls begin(), which may be null, before anything else, and work(number) for numbers
  // below `count`. Throws std::system_error where there is not a single thread. To be called once.
  void start(std::size_t count, std::size_t threads, std::function<void()> begin, std::function<void(std::size_t)> work);
  [[nodiscard]] bool finished() const { return running_.load(std::memory_order_acquire) == 0; }
  // Waits until it is finished. Throws what a part threw, once.
  void wait();

private:
  void run();
  void join();

  std::size_t count_ = 0;
  std::function<void()> begin_;
  std::function<void(std::size_t)> work_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> running_{0}; // threads
  std::mutex mutex_;                    // of fault_
  std::exception_ptr fault_;
  std::vector<std::thread> threads_;
};

} // namespace farcast::base
