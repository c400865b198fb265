#include "predictor/trace/slot_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace farcast::trace {

SpillFile::~SpillFile() {
  if (file_ >= 0) close(file_);
}

bool SpillFile::charge(std::uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  in_memory_ += bytes;
  return in_memory_ > budget_;
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

void SlotStream::append(std::span<const stream::Slot> slots) {
  while (!slots.empty()) {
    std::shared_ptr<std::vector<stream::Slot>> full;
    std::size_t index = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (size_ % kBlockSlots == 0) {
        blocks_.push_back({std::make_shared<std::vector<stream::Slot>>(), -1});
        blocks_.back().memory->reserve(kBlockSlots);
      }
      std::vector<stream::Slot>& block = *blocks_.back().memory; // reserved: readers' spans stay valid
      const std::size_t count = std::min(slots.size(), kBlockSlots - block.size());
      block.insert(block.end(), slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(count));
      slots = slots.subspan(count);
      size_ += count;
      if (block.size() == kBlockSlots) {
        full = blocks_.back().memory;
        index = blocks_.size() - 1;
      }
    }
    grown_.notify_all();
    if (full == nullptr || !spill_.charge(kBlockSlots * stream::kSlotBytes)) continue;
    const std::int64_t offset = spill_.write(full->data(), kBlockSlots * stream::kSlotBytes);
    if (offset < 0) continue;
    const std::lock_guard<std::mutex> lock(mutex_);
    blocks_[index] = {nullptr, offset};
  }
}

void SlotStream::close() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  grown_.notify_all();
}

std::uint64_t SlotStream::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return size_;
}

bool SlotStream::closed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return closed_;
}

std::span<const stream::Slot> SlotCursor::next() {
  auto& source = const_cast<SlotStream&>(*stream_); // NOLINT(cppcoreguidelines-pro-type-const-cast): waiting changes nothing
  std::unique_lock<std::mutex> lock(source.mutex_);
  source.grown_.wait(lock, [&] { return source.closed_ || source.size_ > at_; });
  if (source.size_ <= at_) return {};
  const std::size_t index = at_ / SlotStream::kBlockSlots;
  const std::size_t first = at_ % SlotStream::kBlockSlots;
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(SlotStream::kBlockSlots - first, source.size_ - at_));
  const SlotStream::Block block = source.blocks_[index];
  lock.unlock();
  held_ = block.memory;
  if (held_ == nullptr) {
    held_ = std::make_shared<std::vector<stream::Slot>>(SlotStream::kBlockSlots);
    if (!source.spill_.read(block.offset, held_->data(), SlotStream::kBlockSlots * stream::kSlotBytes)) return {};
  }
  at_ += count;
  return {held_->data() + first, count};
}

} // namespace farcast::trace
