// The producer's end of one ring: reserves slots, publishes them, grows by segments up to a bound.
//
// Threads: one writer per ring; the reader runs in another process. No call here blocks, allocates
// from the heap or takes a lock; reserve() makes system calls only when it needs a new segment. The
// writer never waits for the reader: at the bound reserve() fails for good and the caller counts
// what follows as refused.
#pragma once

#include "libinterpose/stream/segment.h"

#include <sys/types.h>

namespace farcast::stream {

// Reserves blocks of a memory file, so that touching them cannot kill the host with SIGBUS. Never
// raises SIGXFSZ.
// Returns: success.
bool reserve_blocks(int file, std::size_t offset, std::size_t size);
// Makes a file that large without blocks; what is not reserved must not be touched. Never raises
// SIGXFSZ. Returns: success.
bool set_size(int file, std::size_t size);

class RingWriter {
public:
  // Requires: header points at the ring's mapped header, file is the descriptor of the rank's file.
  // `ranks`: of this node, which share what memory is free.
  void attach(RankHeader* rank, RingHeader* ring, int file, std::uint32_t max_segments, std::uint32_t ranks = 1);

  // Returns: the next slot, to be filled before publish(); nullptr when the ring cannot grow
  // (latched: every later call returns nullptr too).
  Slot* reserve() {
    if (__builtin_expect(cursor_ == end_, 0) && !next_segment()) return nullptr;
    prefetch_for_writing(cursor_ + kPrefetchSlots);
    ++head_;
    return cursor_++;
  }
  // Makes all reserved slots visible to the reader.
  void publish() { ring_->published.store(head_, std::memory_order_release); }

  [[nodiscard]] bool attached() const { return ring_ != nullptr; }
  [[nodiscard]] bool full() const { return full_; }
  // Requires: full(). Returns: the system gave no more memory; otherwise the bound was reached.
  [[nodiscard]] bool denied() const { return owned_ < max_segments_; }
  // Requires: denied(). Returns: the file's descriptor is not ours any more: the host closed it, or
  // gave it to another file.
  [[nodiscard]] bool lost_file() const;
  [[nodiscard]] std::uint64_t head() const { return head_; }
  [[nodiscard]] RingHeader* header() const { return ring_; }

private:
  // The reader has pulled these lines into its own core's cache; asking for them back early hides
  // the wait.
  static constexpr int kPrefetchSlots = 8;
  static void prefetch_for_writing(const Slot* slot) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(*slot));
#else
    __builtin_prefetch(slot, 1);
#endif
  }
  bool next_segment();
  bool grow(std::uint64_t logical);
  bool add_segment(std::uint64_t logical);
  bool is_affordable();

  Slot* cursor_ = nullptr;
  Slot* end_ = nullptr;
  std::uint64_t head_ = 0;
  RingHeader* ring_ = nullptr;
  RankHeader* rank_ = nullptr;
  std::uint64_t next_logical_ = 0;   // the segment that next_segment() will open
  std::uint64_t oldest_logical_ = 0; // oldest one whose memory has not been taken over
  std::uint32_t owned_ = 0;
  std::uint32_t max_segments_ = 0;
  std::uint32_t ranks_ = 1;
  std::uint32_t granted_ = 0; // segments that may be added without asking what memory is free
  int file_ = -1;
  dev_t device_ = 0; // which file `file_` is: the host may close descriptors that it does not know, and reuse their numbers
  ino_t inode_ = 0;
  bool full_ = false;
  // Addresses of owned segments, [logical % kMaxSegments]; in the writer's private memory.
  Slot* address_[kMaxSegments] = {};
};

} // namespace farcast::stream
