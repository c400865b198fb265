// The consumer's end of one ring: copies complete slots out of another process's memory, which it
// does not trust.
//
// Threads: one reader per ring. Reads only the rank's file; a corrupt number yields `corrupt`,
// never a fault: the file's size and blocks are checked before a segment is mapped. Requires: the
// file is sealed against shrinking (F_SEAL_SHRINK).
#pragma once

#include "libinterpose/stream/segment.h"

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace farcast::stream {

inline constexpr std::uint64_t kMostSlotsAtOnce = 64 * kSegmentSlots;     // that one drain() copies: other rings want their turn
inline constexpr std::uint64_t kMostSlotsOfCall = std::uint64_t{1} << 22; // 29 million counts

struct CostSamples {     // what recording has cost the writer
  std::uint64_t calls;   // that were measured, one of kCallsPerSample
  std::uint64_t ticks;   // of these, in all
  std::uint64_t grow_ns; // spent on new segments, in all
};

class RingReader {
public:
  enum class Status : std::uint8_t { ok, corrupt };

  // Requires: ring is mapped and stays so; file is open.
  RingReader(RingHeader* ring, int file) : ring_(ring), file_(file) {}
  RingReader(const RingReader&) = delete;
  RingReader& operator=(const RingReader&) = delete;
  RingReader(RingReader&& other) noexcept
      : ring_(other.ring_), file_(other.file_), drained_(other.drained_), mapped_(std::move(other.mapped_)) {
    other.mapped_.clear();
  }
  RingReader& operator=(RingReader&&) = delete;
  ~RingReader();

  using Sink = std::function<void(std::span<const Slot>)>;
  // Hands the complete slots, at most kMostSlotsAtOnce, to `sink`, which copies them, and gives
  // their memory back to the writer. With `writer_gone`, the last call's slots count as complete
  // too (its results are whatever had been written). Slots at or past `limit` are left for later.
  // What the sink sees may change under its eyes: only its copy is to be believed.
  Status drain(const Sink& sink, bool writer_gone, std::uint64_t limit = ~std::uint64_t{0});
  // The same, appended to `out`.
  Status drain(std::vector<Slot>& out, bool writer_gone, std::uint64_t limit = ~std::uint64_t{0}) {
    return drain([&out](std::span<const Slot> slots) { out.insert(out.end(), slots.begin(), slots.end()); }, writer_gone, limit);
  }

  [[nodiscard]] std::uint64_t drained() const { return drained_; }
  [[nodiscard]] std::uint64_t published() const { return ring_->published.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t refused() const { return ring_->refused.load(std::memory_order_relaxed); }
  [[nodiscard]] CostSamples cost() const {
    return {ring_->sampled_calls.load(std::memory_order_relaxed), ring_->sampled_ticks.load(std::memory_order_relaxed),
            ring_->grow_ns.load(std::memory_order_relaxed)};
  }

private:
  const Slot* slot(std::uint64_t index);
  [[nodiscard]] bool holds(std::uint64_t segments) const;

  RingHeader* ring_;
  int file_;
  std::uint64_t drained_ = 0;
  std::vector<const Slot*> mapped_; // [physical segment], null where not yet mapped
};

} // namespace farcast::stream
