// Writes the slots of one thread as the interposer would: each call with its entry extensions, its
// results, its result extensions.
//
// One tick is one nanosecond. Functions go by their names. A call's results are complete when the
// next call is written.
#pragma once

#include "libinterpose/stream/record.h"
#include "predictor/trace/function_info.h"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

namespace farcast::trace {

inline std::uint16_t number_of(const std::string& name) {
  const std::vector<FunctionInfo>& infos = function_infos();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return static_cast<std::uint16_t>(i);
  }
  throw std::runtime_error(name + " is not in the table");
}

// What a call slot says beyond its function and times. The defaults are the interposer's.
struct CallFields {
  int peer = stream::kNoPeer;
  int tag = 0;
  std::uint64_t bytes = 0; // the request of MPI_Wait and its like
  std::uint64_t request = 0;
  std::uint32_t comm = stream::kNoComm;
  std::uint64_t site = 0x1000;
  std::uint64_t result_bytes = 0;
  std::uint8_t flags = 0;
  std::uint16_t outcome = 0;
};

class SlotScript {
public:
  SlotScript& compute(std::uint64_t ticks) {
    now_ += ticks;
    return *this;
  }
  SlotScript& rewind(std::uint64_t ticks) {
    now_ -= ticks;
    return *this;
  }
  SlotScript& call(const std::string& function, const CallFields& fields = {}, std::uint64_t ticks = 10) {
    return call(number_of(function), fields, ticks);
  }
  SlotScript& call(std::uint16_t function, const CallFields& fields, std::uint64_t ticks) {
    stream::Slot slot;
    slot.call = stream::CallSlot{stream::SlotKind::call,
                                 fields.flags,
                                 function,
                                 fields.comm,
                                 now_,
                                 fields.site,
                                 fields.bytes,
                                 fields.peer,
                                 fields.tag,
                                 stream::pack_result(ticks, fields.outcome),
                                 {fields.request},
                                 fields.result_bytes};
    slots_.push_back(slot);
    last_call_ = slots_.size() - 1;
    now_ += ticks;
    return *this;
  }
  // The status of the last call.
  SlotScript& status(int source, int tag, std::uint64_t bytes, bool cancelled = false) {
    stream::CallSlot& last = slots_[last_call_].call;
    last.status.source = source;
    last.status.tag = tag;
    last.result_bytes = bytes;
    if (cancelled) last.flags |= stream::kFlagCancelled;
    return *this;
  }
  // The last call never returned: the end of a truncated stream.
  SlotScript& not_returned() {
    stream::CallSlot& last = slots_[last_call_].call;
    now_ -= stream::duration_of(last.result);
    last.result = 0;
    last.handle = 0;
    return *this;
  }
  SlotScript& end() {
    slots_.push_back({});
    std::memset(static_cast<void*>(&slots_.back()), 0, sizeof(stream::Slot));
    slots_.back().kind = stream::SlotKind::end;
    return *this;
  }
  template <class Value> SlotScript& list(stream::SlotKind kind, const std::vector<Value>& values, std::uint32_t aux = 0) {
    constexpr std::size_t kPerSlot = stream::kPayloadBytes / sizeof(Value);
    for (std::size_t at = 0; at < values.size(); at += kPerSlot) {
      const std::size_t count = std::min(kPerSlot, values.size() - at);
      stream::Slot slot;
      std::memset(static_cast<void*>(&slot), 0, sizeof(slot));
      slot.extension.kind = kind;
      slot.extension.count = static_cast<std::uint8_t>(count);
      slot.extension.aux = aux;
      std::memcpy(slot.extension.raw, values.data() + at, count * sizeof(Value));
      slots_.push_back(slot);
    }
    return *this;
  }
  SlotScript& handles(const std::vector<std::uint64_t>& values) {
    slots_[last_call_].call.peer = static_cast<int>(values.size());
    return list(stream::SlotKind::handles, values);
  }
  SlotScript& statuses(const std::vector<stream::StatusEntry>& values) { return list(stream::SlotKind::statuses, values); }
  SlotScript& indices(const std::vector<std::uint32_t>& values) { return list(stream::SlotKind::indices, values); }
  SlotScript& members(std::uint32_t comm, const std::vector<stream::RankRange>& ranges) {
    return list(stream::SlotKind::members, ranges, comm);
  }
  SlotScript& remote_members(std::uint32_t comm, const std::vector<stream::RankRange>& ranges) {
    return list(stream::SlotKind::remote_members, ranges, comm);
  }
  SlotScript& group(const std::vector<stream::RankRange>& ranges) { return list(stream::SlotKind::group, ranges); }
  SlotScript& receive_half(std::uint64_t bytes, int source, int tag) {
    return list(stream::SlotKind::receive_half, std::vector<stream::ReceiveHalf>{{bytes, source, tag}});
  }
  SlotScript& fold(std::uint64_t calls, std::uint64_t compute_ticks) {
    return list(stream::SlotKind::fold, std::vector<stream::Fold>{{calls, compute_ticks}});
  }
  // Repetitions of the last call, and what they started.
  SlotScript& row(const stream::Row& figures, const std::vector<std::uint64_t>& started = {}) {
    list(stream::SlotKind::row, std::vector<stream::Row>{figures});
    now_ += figures.compute_ticks + figures.in_ticks;
    return list(stream::SlotKind::started, started);
  }
  SlotScript& word(stream::SlotKind kind, std::uint64_t value) { return list(kind, std::vector<std::uint64_t>{value}); }
  SlotScript& ticket(std::uint64_t number) { return word(stream::SlotKind::ticket, number); }
  // MPI_Init, and the world that every rank describes first.
  SlotScript& init(int world_size) {
    return call("MPI_Init").members(stream::kCommWorld, {{0, 1, static_cast<std::uint32_t>(world_size)}});
  }

  [[nodiscard]] const std::vector<stream::Slot>& slots() const { return slots_; }

private:
  std::vector<stream::Slot> slots_;
  std::size_t last_call_ = 0;
  std::uint64_t now_ = 1000;
};

} // namespace farcast::trace
