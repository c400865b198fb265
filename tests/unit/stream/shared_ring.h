// The file of one rank as the interposer makes it, with both ends of its first rings in one test.
#pragma once

#include "libinterpose/stream/ring_reader.h"
#include "libinterpose/stream/ring_writer.h"

#include <cstdint>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace farcast::stream {

class SharedRing {
public:
  SharedRing() : file_(memfd_create("farcast-test", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    if (file_ < 0 || posix_fallocate(file_, 0, static_cast<off_t>(kSegmentsOffset)) != 0) throw std::runtime_error("no memfd");
    void* memory = mmap(nullptr, kSegmentsOffset, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no mapping");
    memory_ = static_cast<char*>(memory);
  }
  ~SharedRing() {
    munmap(memory_, kSegmentsOffset);
    ::close(file_);
  }
  SharedRing(const SharedRing&) = delete;
  SharedRing& operator=(const SharedRing&) = delete;

  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] RankHeader& rank() { return *reinterpret_cast<RankHeader*>(memory_); }
  [[nodiscard]] RingHeader& ring(std::uint32_t thread = 0) {
    return *reinterpret_cast<RingHeader*>(memory_ + ring_offset(thread));
  }
  [[nodiscard]] RingReader reader(std::uint32_t thread = 0) { return {&ring(thread), file_}; }
  void attach(RingWriter& writer, std::uint32_t max_segments, std::uint32_t thread = 0) {
    writer.attach(&rank(), &ring(thread), file_, max_segments);
  }

private:
  int file_;
  char* memory_ = nullptr;
};

// What the interposer does for one call: entry, publication, result. Returns: false when the ring
// refused.
// The number is in every part of the slot, so that a torn or stale slot shows.
constexpr std::uint64_t result_for(std::uint64_t number) { return number * 0x9e3779b97f4a7c15ull; }

inline CallSlot* enter_call(RingWriter& writer, std::uint64_t number) {
  Slot* slot = writer.reserve();
  if (slot == nullptr) return nullptr;
  slot->call = CallSlot{SlotKind::call, 0, 1, kCommWorld, number, ~number, number + 1, 0, 0, 0, {0}, 0};
  return &slot->call;
}
inline void leave_call(CallSlot& slot, std::uint64_t number) {
  slot.result = pack_result(number, 7);
  slot.result_bytes = result_for(number);
}
inline bool write_call(RingWriter& writer, std::uint64_t number) {
  CallSlot* slot = enter_call(writer, number);
  if (slot == nullptr) return false;
  writer.publish();
  leave_call(*slot, number);
  return true;
}
inline bool write_end(RingWriter& writer) {
  Slot* slot = writer.reserve();
  if (slot == nullptr) return false;
  slot->kind = SlotKind::end;
  writer.publish();
  return true;
}
// An extension slot that carries results: after the call, not published by itself.
inline bool write_word(RingWriter& writer, SlotKind kind, std::uint64_t word) {
  Slot* slot = writer.reserve();
  if (slot == nullptr) return false;
  slot->extension = ExtensionSlot{};
  slot->extension.kind = kind;
  slot->extension.count = 1;
  slot->extension.words[0] = word;
  return true;
}
inline bool entered(const Slot& slot, std::uint64_t number) {
  return slot.kind == SlotKind::call && slot.call.t_enter == number && slot.call.site == ~number && slot.call.bytes == number + 1;
}
inline bool complete(const Slot& slot, std::uint64_t number) {
  return entered(slot, number) && slot.call.result == pack_result(number, 7) && slot.call.result_bytes == result_for(number);
}

} // namespace farcast::stream
