// Writes extension slots: lists that do not fit into a call's own 64 bytes.
#pragma once

#include "libinterpose/thread.h"

#include <cstring>
#include <iterator>

namespace farcast::interpose {

// Returns: a fresh extension slot; null when the ring is full (recording has been switched off).
inline stream::ExtensionSlot* add_slot(Thread& thread, stream::SlotKind kind, std::uint32_t aux = 0) {
  stream::Slot* slot = thread.ring.reserve();
  if (__builtin_expect(slot == nullptr, 0)) {
    out_of_room(thread);
    return nullptr;
  }
  stream::ExtensionSlot* extension = &slot->extension;
  extension->kind = kind;
  extension->count = 0;
  extension->unused = 0;
  extension->aux = aux;
  return extension;
}

// Appends values one by one, opening slots as they fill.
template <class Value> class SlotList {
public:
  static constexpr std::size_t kPerSlot = stream::kPayloadBytes / sizeof(Value);

  SlotList(Thread& thread, stream::SlotKind kind, std::uint32_t aux = 0) : thread_(thread), kind_(kind), aux_(aux) {}
  void add(const Value& value) {
    if (slot_ == nullptr || slot_->count == kPerSlot) {
      slot_ = add_slot(thread_, kind_, aux_);
      if (slot_ == nullptr) return;
    }
    std::memcpy(slot_->raw + slot_->count * sizeof(Value), &value, sizeof(Value));
    ++slot_->count;
  }

private:
  Thread& thread_;
  stream::SlotKind kind_;
  std::uint32_t aux_;
  stream::ExtensionSlot* slot_ = nullptr;
};

// Appends one handle to a list: behind what is in `slot`, or in a fresh slot, of the kind `plain`
// or, for a handle that the reader knows, `brief`. Returns: false when the ring is full.
inline bool add_handle(Thread& thread, stream::ExtensionSlot*& slot, stream::SlotKind plain, stream::SlotKind brief,
                       std::uint64_t handle) {
  const std::uint16_t place = stream::place_of_handle(handle);
  std::uint64_t& known = thread.known_handles[place];
  const bool is_known = known == handle;
  const stream::SlotKind kind = is_known ? brief : plain;
  const std::size_t room = is_known ? std::size(stream::ExtensionSlot{}.numbers) : std::size(stream::ExtensionSlot{}.words);
  if (slot == nullptr || slot->kind != kind || slot->count == room) {
    slot = add_slot(thread, kind);
    if (slot == nullptr) return false;
  }
  if (is_known) {
    slot->numbers[slot->count] = place;
  } else {
    slot->words[slot->count] = handle;
    known = handle;
  }
  ++slot->count;
  return true;
}

inline void write_word(Thread& thread, stream::SlotKind kind, std::uint64_t value) {
  if (stream::ExtensionSlot* slot = add_slot(thread, kind)) {
    slot->words[0] = value;
    slot->count = 1;
  }
}

// Lists of ranks as arithmetic progressions: most communicators need one slot, however large they are.
void write_ranges(Thread& thread, stream::SlotKind kind, std::uint32_t id, const int* ranks, int count);
void write_ranks(Thread& thread, stream::SlotKind kind, std::uint32_t id, const int* ranks, int count);

} // namespace farcast::interpose
