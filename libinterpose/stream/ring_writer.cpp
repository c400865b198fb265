#include "libinterpose/stream/ring_writer.h"

#include "libinterpose/stream/free_memory.h"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace farcast::stream {

namespace {
constexpr int kFallocateAttempts = 100;
constexpr std::uint32_t kGrantSegments = 8; // 4 MiB: reading what is free costs as much as some hundred calls

bool is_same_file(int file, dev_t device, ino_t inode) {
  struct stat status {};
  return fstat(file, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}
std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// Growing a file past the host's RLIMIT_FSIZE raises SIGXFSZ, which kills.
bool may_have_size(std::size_t size) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}
} // namespace

bool set_size(int file, std::size_t size) { return may_have_size(size) && ftruncate(file, static_cast<off_t>(size)) == 0; }

bool reserve_blocks(int file, std::size_t offset, std::size_t size) {
  if (!may_have_size(offset + size)) return false;
  // A signal interrupts it, and programs with profiling timers have many: try again, but not for ever.
  int error = EINTR;
  for (int attempt = 0; attempt < kFallocateAttempts && error == EINTR; ++attempt) {
    error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(size));
  }
  return error == 0;
}

void RingWriter::attach(RankHeader* rank, RingHeader* ring, int file, std::uint32_t max_segments, std::uint32_t ranks) {
  ranks_ = ranks > 0 ? ranks : 1;
  rank_ = rank;
  ring_ = ring;
  file_ = file;
  struct stat status {};
  if (fstat(file, &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  max_segments_ = max_segments < kMaxSegments ? max_segments : kMaxSegments;
}

bool RingWriter::lost_file() const { return !is_same_file(file_, device_, inode_); }

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
  const int saved = errno;
  const std::uint64_t begin = now_ns();
  const bool grown = add_segment(logical);
  ring_->grow_ns.store(ring_->grow_ns.load(std::memory_order_relaxed) + (now_ns() - begin), std::memory_order_relaxed);
  errno = saved; // the host is in the middle of a call
  return grown;
}

bool RingWriter::is_affordable() {
  if (granted_ == 0) {
    const std::uint64_t held = rank_->segments.load(std::memory_order_relaxed) * std::uint64_t{kSegmentBytes};
    const std::uint64_t free = free_memory();
    if (may_grow(free, held, kGrantSegments * kSegmentBytes, ranks_))
      granted_ = kGrantSegments;
    else if (may_grow(free, held, kSegmentBytes, ranks_))
      granted_ = 1;
    else
      return false;
  }
  --granted_;
  return true;
}

bool RingWriter::add_segment(std::uint64_t logical) {
  if (!is_affordable()) return false;
  const std::uint32_t physical = rank_->segments.fetch_add(1, std::memory_order_relaxed);
  const std::size_t offset = segment_offset(physical);
  if (!is_same_file(file_, device_, inode_) || !reserve_blocks(file_, offset, kSegmentBytes)) return false;
  void* memory =
      mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file_, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return false;
  address_[logical % kMaxSegments] = static_cast<Slot*>(memory);
  ring_->table[logical % kMaxSegments].store(physical, std::memory_order_relaxed);
  ++owned_;
  return true;
}

} // namespace farcast::stream
