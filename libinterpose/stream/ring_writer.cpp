#include "libinterpose/stream/ring_writer.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>

namespace farcast::stream {

namespace {
constexpr int kFallocateAttempts = 100;
}

void RingWriter::attach(RankHeader* rank, RingHeader* ring, int file, std::uint32_t max_segments) {
  rank_ = rank;
  ring_ = ring;
  file_ = file;
  max_segments_ = max_segments < kMaxSegments ? max_segments : kMaxSegments;
}

bool RingWriter::next_segment() {
  if (full_) return false;
  const std::uint64_t logical = next_logical_;
  const std::uint64_t drained = ring_->drained.load(std::memory_order_acquire);
  if (oldest_logical_ < logical && drained >= (oldest_logical_ + 1) * kSegmentSlots) {
    // The reader has copied the oldest segment: its memory becomes the new one.
    const std::uint64_t from = oldest_logical_ % kMaxSegments;
    const std::uint64_t to = logical % kMaxSegments;
    address_[to] = address_[from];
    ring_->table[to].store(ring_->table[from].load(std::memory_order_relaxed), std::memory_order_relaxed);
    ++oldest_logical_;
  } else if (!grow(logical)) {
    full_ = true;
    return false;
  }
  cursor_ = address_[logical % kMaxSegments];
  end_ = cursor_ + kSegmentSlots;
  next_logical_ = logical + 1;
  return true;
}

bool RingWriter::grow(std::uint64_t logical) {
  if (owned_ == max_segments_) return false;
  const std::uint32_t physical = rank_->segments.fetch_add(1, std::memory_order_relaxed);
  const auto offset = static_cast<off_t>(segment_offset(physical));
  // Blocks first: touching unbacked pages of a full file system would kill the host with SIGBUS.
  // A signal interrupts it, and programs with profiling timers have many: try again, but not for ever.
  int error = EINTR;
  for (int attempt = 0; attempt < kFallocateAttempts && error == EINTR; ++attempt) {
    error = posix_fallocate(file_, offset, static_cast<off_t>(kSegmentBytes));
  }
  if (error != 0) return false;
  void* memory = mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_, offset);
  if (memory == MAP_FAILED) return false;
  address_[logical % kMaxSegments] = static_cast<Slot*>(memory);
  ring_->table[logical % kMaxSegments].store(physical, std::memory_order_relaxed);
  ++owned_;
  return true;
}

} // namespace farcast::stream
