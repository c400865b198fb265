// The decodings that readings of one source share: one after another, where the first was too large
// to be kept for all.
//
// A Decoding has timelines that decode and `shared`, a trace::SharedTimelines on them. Threads:
// open() from any.
#pragma once

#include "libinterpose/stream/free_memory.h"
#include "predictor/trace/shared_timelines.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace farcast::scenario {

// Returns: bytes that decoded operations may take: a quarter of the memory that is free; beside a
// program as little as records.
inline std::uint64_t allowance_for_operations(bool beside_a_program) {
  constexpr std::uint64_t kShareAlone = 4;
  return stream::free_memory() / (beside_a_program ? stream::kShareOfFree : kShareAlone);
}

template <class Decoding> class Decodings {
public:
  // Requires: nothing is open.
  void expect(std::size_t readings) { left_ = readings; }

  // Returns: a decoding that still has its beginning, made by `make` if there is none, and a reader
  // of it.
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
