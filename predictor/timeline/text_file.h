// A text file that is written piece by piece and appears whole or not at all.
//
// The first error stays: later pieces are dropped, and commit() tells it. Threads: one.
#pragma once

#include "predictor/base/atomic_file.h"

#include <atomic>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace farcast::timeline {

class TextFile {
public:
  // `stop`: becomes true when the user has enough; may be null.
  TextFile(const std::string& path, const std::atomic<bool>* stop) : stop_(stop) {
    auto made = base::AtomicFile::create(path);
    if (made)
      file_.emplace(std::move(*made));
    else
      outcome_ = tl::make_unexpected(made.error());
  }

  // Returns: whether what is put is still written.
  [[nodiscard]] bool good() const { return outcome_.has_value(); }
  template <class... Args> void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    if (text_.size() >= kChunk) flush();
  }
  // Errors: of the file; it was stopped.
  base::Result<void> commit() {
    flush();
    if (!outcome_) return outcome_;
    return file_->commit();
  }

private:
  static constexpr std::size_t kChunk = 1 << 20; // bytes that are written at once
  void flush() {
    if (outcome_ && stop_ != nullptr && stop_->load(std::memory_order_relaxed)) outcome_ = base::fail("interrupted");
    if (outcome_) outcome_ = file_->write(text_);
    text_.clear();
  }

  const std::atomic<bool>* stop_;
  std::optional<base::AtomicFile> file_;
  base::Result<void> outcome_;
  std::string text_;
};

} // namespace farcast::timeline
