#include "libinterpose/stream/ring_reader.h"

#include <sys/mman.h>
#include <sys/stat.h>

namespace farcast::stream {

RingReader::~RingReader() {
  for (const Slot* address : mapped_) {
    if (address != nullptr) munmap(const_cast<Slot*>(address), kSegmentBytes); // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
}

namespace {

// Holes would become the reader's own memory when it looks at them. Segments are reserved in order,
// but for those that other threads are reserving right now; what lies before them, of a fixed size,
// is reserved ring by ring.
bool has_blocks(const struct stat& file, std::uint32_t physical) {
  constexpr std::uint64_t kStatBlock = 512;
  const std::uint64_t sure = physical < kMaxThreads ? 0 : physical - kMaxThreads;
  return static_cast<std::uint64_t>(file.st_blocks) * kStatBlock >= sure * kSegmentBytes;
}

} // namespace

const Slot* RingReader::slot(std::uint64_t index) {
  const std::uint32_t physical = ring_->table[index / kSegmentSlots % kMaxSegments].load(std::memory_order_relaxed);
  if (physical >= mapped_.size() || mapped_[physical] == nullptr) {
    struct stat file {};
    if (physical >= kMaxSegments * kMaxThreads || fstat(file_, &file) != 0 ||
        static_cast<std::uint64_t>(file.st_size) < segment_offset(physical) + kSegmentBytes || !has_blocks(file, physical)) {
      return nullptr;
    }
    void* memory =
        mmap(nullptr, kSegmentBytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file_, static_cast<off_t>(segment_offset(physical)));
    if (memory == MAP_FAILED) return nullptr;
    if (physical >= mapped_.size()) mapped_.resize(physical + 1, nullptr);
    mapped_[physical] = static_cast<const Slot*>(memory);
  }
  return mapped_[physical] + index % kSegmentSlots;
}

// Whether the file is large enough for that many segments; a wrong number would otherwise be
// answered with any amount of garbage.
bool RingReader::holds(std::uint64_t segments) const {
  if (segments <= 1) return true; // slot() looks at it
  struct stat file {};
  return fstat(file_, &file) == 0 &&
         static_cast<std::uint64_t>(file.st_size) >= segment_offset(static_cast<std::uint32_t>(segments));
}

RingReader::Status RingReader::drain(const Sink& sink, bool writer_gone, std::uint64_t limit) {
  std::uint64_t published = ring_->published.load(std::memory_order_acquire);
  if (published > limit && limit >= drained_) published = limit;
  if (published < drained_ || published - drained_ > std::uint64_t{kMaxSegments} * kSegmentSlots) return Status::corrupt;
  if (published > drained_ && !holds((published - 1) / kSegmentSlots - drained_ / kSegmentSlots + 1)) return Status::corrupt;
  // The last Call slot and what follows it may still change: stop before it.
  std::uint64_t end = published;
  if (!writer_gone) {
    while (end > drained_) {
      if (published - end > kMostSlotsOfCall) return Status::corrupt; // else one ring could keep the reader looking
      const Slot* last = slot(end - 1);
      if (last == nullptr) return Status::corrupt;
      if (last->kind == SlotKind::end) break;
      --end;
      if (last->kind == SlotKind::call) break;
    }
  }
  if (end > drained_ + kMostSlotsAtOnce) end = drained_ + kMostSlotsAtOnce;
  std::uint64_t at = drained_;
  while (at < end) {
    const std::uint64_t stop = (at / kSegmentSlots + 1) * kSegmentSlots;
    const std::uint64_t count = (stop < end ? stop : end) - at;
    const Slot* from = slot(at);
    if (from == nullptr) return Status::corrupt;
    sink({from, count});
    at += count;
  }
  drained_ = at;
  ring_->drained.store(at, std::memory_order_release);
  return Status::ok;
}

} // namespace farcast::stream
