// The decodings that readings of one source share: one after another, where the first was too large to be kept for all.
//
// A Decoding has timelines that decode and `shared`, a trace::SharedTimelines on them. Threads: open() from any.
#pragma once

#include "libinterpose/stream/free_memory.h"
#include "predictor/trace/shared_timelines.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace farcast::scenario {

inline constexpr std::uint64_t kShareForOperations = 4; // of the memory that is free, for decoded operations

// Returns: bytes.
inline std::uint64_t allowance_for_operations() { return stream::free_memory() / kShareForOperations; }

template <class Decoding> class Decodings {
public:
  // Requires: nothing is open.
  void expect(std::size_t readings) { left_ = readings; }

  // Returns: a decoding that still has its beginning, made by `make` if there is none, and a reader of it.
  template <class Make> std::pair<std::shared_ptr<Decoding>, std::unique_ptr<trace::SharedTimelines::Reader>> open(Make make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto reader = current_ == nullptr ? nullptr : current_->shared.reader();
    if (reader == nullptr) {
      current_ = make();
      reader = current_->shared.reader();
    }
    std::shared_ptr<Decoding> decoding = current_;
    if (left_ > 0) --left_;
    if (left_ == 0) {
      decoding->shared.end_of_readers();
      current_.reset();
    }
    return {std::move(decoding), std::move(reader)};
  }

private:
  std::mutex mutex_;
  std::size_t left_ = 0; // readings that will still be opened
  std::shared_ptr<Decoding> current_;
};

} // namespace farcast::scenario
