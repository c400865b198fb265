#include "predictor/trace/slot_stream.h"

#include "predictor/trace/slot_packing.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace farcast::trace {

struct BlockPool::Chunks {
  static constexpr std::size_t kBlocks = 4;
  static constexpr std::size_t kBytes = kBlocks * kBlockSlots * stream::kSlotBytes;

  ~Chunks() {
    for (stream::Slot* chunk : all) std::free(chunk);
  }
  stream::Slot* take() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (free.empty()) {
      auto* chunk = static_cast<stream::Slot*>(std::aligned_alloc(kBytes, kBytes));
      if (chunk == nullptr) throw std::bad_alloc();
      madvise(chunk, kBytes, MADV_HUGEPAGE); // refused: small pages do as well
      all.push_back(chunk);
      for (std::size_t i = kBlocks; i-- > 0;) free.push_back(chunk + i * kBlockSlots);
    }
    stream::Slot* block = free.back();
    free.pop_back();
    return block;
  }
  void give_back(stream::Slot* block) {
    const std::lock_guard<std::mutex> lock(mutex);
    free.push_back(block);
  }
  std::mutex mutex;
  std::vector<stream::Slot*> all;
  std::vector<stream::Slot*> free;
};

BlockPool::Block BlockPool::take() {
  return {chunks_->take(), [chunks = chunks_](stream::Slot* block) { chunks->give_back(block); }};
}

BlockPool::BlockPool() : chunks_(std::make_shared<Chunks>()) {}

SpillFile::~SpillFile() {
  if (file_ >= 0) close(file_);
}

bool SpillFile::charge(std::uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  constexpr std::uint64_t kCheckEvery = std::uint64_t{4} << 20; // bytes
  charged_ += bytes;
  if (!known_ || charged_ >= kCheckEvery) {
    const std::uint64_t free = free_();
    limit_ = free == stream::kUnlimited ? budget_ : std::min(budget_, (free + in_memory_) / stream::kShareOfFree);
    charged_ = 0;
    known_ = true;
  }
  in_memory_ += bytes;
  return in_memory_ > limit_;
}

std::int64_t SpillFile::write(const void* data, std::uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failed_) return -1;
  if (file_ < 0) {
    const char* folder = std::getenv("TMPDIR");
    std::string name = std::string(folder == nullptr || *folder == '\0' ? "/tmp" : folder) + "/farcast-XXXXXX";
    file_ = mkstemp(name.data());
    if (file_ < 0) {
      failed_ = true;
      return -1;
    }
    unlink(name.c_str());
  }
  const auto* at = static_cast<const char*>(data);
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got = pwrite(file_, at + done, bytes - done, end_ + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      failed_ = true;
      return -1;
    }
    done += static_cast<std::uint64_t>(got);
  }
  const std::int64_t offset = end_;
  end_ += static_cast<std::int64_t>(bytes);
  in_memory_ -= std::min(in_memory_, bytes);
  return offset;
}

bool SpillFile::read(std::int64_t offset, void* data, std::uint64_t bytes) const {
  auto* at = static_cast<char*>(data);
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(file_, at + done, bytes - done, offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::uint64_t>(got);
  }
  return true;
}

stream::Slot SlotStream::append(std::span<const stream::Slot> slots) {
  stream::Slot last{};
  while (!slots.empty()) {
    BlockPool::Block block;
    std::size_t index = 0;
    std::size_t used = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      used = size_ % kBlockSlots;
      if (used == 0) blocks_.push_back({spill_.take_block(), nullptr});
      index = blocks_.size() - 1;
      block = blocks_.back().memory;
    }
    // Readers see what `size_` covers: the copy needs no lock.
    const std::size_t count = std::min(slots.size(), kBlockSlots - used);
    std::memcpy(static_cast<void*>(block.get() + used), slots.data(), count * stream::kSlotBytes);
    last = block[used + count - 1];
    slots = slots.subspan(count);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      size_ += count;
    }
    grown_.notify_all();
    if (used + count == kBlockSlots) filled_.notify_all();
    if (used + count == kBlockSlots) seal(index, block, kBlockSlots);
  }
  return last;
}

void SlotStream::seal(std::size_t index, const BlockPool::Block& block, std::size_t slots) {
  static thread_local Packed room(kBlockSlots * kMostPackedBytes);
  const std::size_t bytes = pack({block.get(), slots}, room);
  Block sealed{nullptr, nullptr, -1, bytes, slots};
  if (spill_.charge(bytes)) sealed.offset = spill_.write(room.data(), bytes);
  if (sealed.offset < 0)
    sealed.packed = std::make_shared<const Packed>(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(bytes));
  const std::lock_guard<std::mutex> lock(mutex_);
  blocks_[index] = std::move(sealed);
}

// Returns: null where the disk does not give it back.
BlockPool::Block SlotStream::unpacked(const Block& block) const {
  Packed read;
  if (block.packed == nullptr) {
    read.resize(block.bytes);
    if (!spill_.read(block.offset, read.data(), read.size())) return nullptr;
  }
  // Of many ranks with little each, each takes no more than it needs.
  BlockPool::Block out =
      block.slots == kBlockSlots ? spill_.take_block() : std::make_shared_for_overwrite<stream::Slot[]>(block.slots);
  if (!unpack(block.packed != nullptr ? *block.packed : read, {out.get(), block.slots})) return nullptr;
  return out;
}

void SlotStream::close() {
  BlockPool::Block last;
  std::size_t index = 0;
  std::size_t used = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    used = size_ % kBlockSlots;
    index = blocks_.size() - 1;
    if (used > 0) last = blocks_.back().memory; // null: it was closed before
  }
  grown_.notify_all();
  filled_.notify_all();
  if (last != nullptr) seal(index, last, used);
}

std::uint64_t SlotStream::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return size_;
}

bool SlotStream::closed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return closed_;
}

void SlotCursor::wait(std::unique_lock<std::mutex>& lock, SlotStream& stream) const {
  const auto any = [&] { return stream.closed_ || stream.size_ > at_; };
  if (reading_ == Reading::in_blocks)
    return stream.filled_.wait(
        lock, [&] { return stream.closed_ || stream.size_ / SlotStream::kBlockSlots > at_ / SlotStream::kBlockSlots; });
  SlotSource* const source = reading_ == Reading::fetching ? stream.source_.load(std::memory_order_acquire) : nullptr;
  if (source == nullptr) return stream.grown_.wait(lock, any);
  while (!any()) {
    lock.unlock();
    source->fetch(at_);
    lock.lock();
  }
}

bool SlotCursor::has_come(bool waits) const {
  SlotSource* const source = stream_->source_.load(std::memory_order_acquire);
  const auto come = [&] { return source == nullptr || source->is_back() || stream_->closed() || stream_->size() > at_; };
  if (come() || !waits) return come();
  source->fetch(at_);
  return come();
}

std::span<const stream::Slot> SlotCursor::next() {
  auto& source = const_cast<SlotStream&>(*stream_); // NOLINT(cppcoreguidelines-pro-type-const-cast): waiting changes nothing
  std::unique_lock<std::mutex> lock(source.mutex_);
  wait(lock, source);
  if (source.size_ <= at_) return {};
  const std::size_t index = at_ / SlotStream::kBlockSlots;
  const std::size_t first = at_ % SlotStream::kBlockSlots;
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(SlotStream::kBlockSlots - first, source.size_ - at_));
  if (held_ == nullptr || index_ != index) {
    const SlotStream::Block block = source.blocks_[index];
    lock.unlock();
    held_ = block.memory != nullptr ? block.memory : source.unpacked(block);
    index_ = index;
    failed_ = held_ == nullptr;
    if (failed_) return {};
  }
  at_ += count;
  return {held_.get() + first, count};
}

} // namespace farcast::trace
