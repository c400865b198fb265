// One recorded call: begin() in the wrapper, a method per kind of argument, publish(), the call, end().
//
// All of it is inlined into the generated wrappers. An entry method reads only arguments that the MPI
// standard says are significant: the size of an ignored datatype is never asked. end_*: after the call.
#pragma once

#include "libinterpose/call_arguments.h"
#include "libinterpose/handles.h"
#include "libinterpose/isolation.h"
#include "libinterpose/slots.h"

#include <iterator>

namespace farcast::interpose {

std::uint64_t find_site(Thread& thread, std::uint64_t direct, std::uint64_t* frames, std::uint32_t& depth);
// Gives what was repeated since the open polls were recorded its records; they stay open.
void write_poll_rows(Thread& thread);
// The same, and forgets them: something else happened.
void close_polls(Thread& thread);
// The slot of the row that the thread has open. Returns: false when the ring is full.
bool add_row(Thread& thread);
void write_ticket(Thread& thread);
// What a long region lost to others, and what the rank's other threads did meanwhile. `now`: the
// entry that ended it; becomes the time after the reading.
stream::Aside region_aside(Thread& thread, std::uint64_t& now, stream::Others& others);
void write_region(Thread& thread, const stream::Aside& aside, const stream::Others& others);
void write_aside(Thread& thread, stream::SlotKind kind, const stream::Aside& aside);
void write_others(Thread& thread, stream::SlotKind kind, const stream::Others& others);
// The same of a call from `enter` to `now`, or a reading after many short ones. `others`: may be null.
stream::Aside call_aside(Thread& thread, std::uint64_t enter, std::uint64_t& now, stream::Others* others);
void write_stack(Thread& thread, const std::uint64_t* frames, std::uint32_t depth);

class Call {
public:
  // Returns: false when the call is to pass through unrecorded.
  bool begin(std::uint16_t function, const char* name, void* return_address, void* frame) {
    if (!locate(name, return_address, frame)) return false;
    if (__builtin_expect(thread_->open_polls != 0, 0)) close_polls(*thread_);
    return open(function);
  }

  // The same for Test* and Iprobe: a repetition of an open poll has no record until it finds something.
  bool begin_poll(std::uint16_t function, const char* name, void* return_address, void* frame, std::uint64_t key,
                  std::int32_t peer, std::int32_t tag) {
    if (!locate(name, return_address, frame)) return false;
    thread_->yielded_ticks = 0;
    if (thread_->open_polls != 0) {
      repeated_ = find_open_poll(function, key, peer, tag);
      if (repeated_ != nullptr) {
        thread_->row.first = nullptr;
        // A long region before it is an event of its own: what it lost and its counters are read.
        const bool long_region = enter_ - thread_->last_exit > process.worthwhile_ticks;
        if (__builtin_expect(!long_region && !thread_->counting, 1)) {
          slot_ = &repeated_->call;
          note_front(*thread_, enter_);
          return true;
        }
        repeated_ = nullptr;
        close_polls(*thread_);
      } else if (thread_->open_polls == stream::kMostOpenPolls) {
        close_polls(*thread_);
      } else {
        write_poll_rows(*thread_);
      }
    }
    if (!open(function)) return false;
    slot_->bytes = key;
    slot_->peer = peer;
    slot_->tag = tag;
    return true;
  }

  // The same for calls that cannot block: one like the last, with nothing between, has no record.
  bool begin_row(std::uint16_t function, const char* name, void* return_address, void* frame, const RowKey& key) {
    if (!locate(name, return_address, frame)) return false;
    OpenRow& row = thread_->row;
    const std::uint32_t epoch = type_epoch.load(std::memory_order_relaxed) + comm_epoch.load(std::memory_order_relaxed);
    if (row.first != nullptr && row.site == site_ && row.function == function && row.key == key && row.epoch == epoch &&
        may_repeat(row)) {
      slot_ = row.first;
      in_row_ = true;
      note_front(*thread_, enter_);
      return true;
    }
    if (__builtin_expect(thread_->open_polls != 0, 0)) close_polls(*thread_);
    if (!open(function)) return false;
    row = {function, epoch, site_, enter_, key, slot_, nullptr, nullptr};
    return true;
  }

  [[nodiscard]] bool folding() const { return repeated_ != nullptr; }
  [[nodiscard]] bool in_row() const { return in_row_; }
  [[nodiscard]] stream::CallSlot& slot() { return *slot_; }
  [[nodiscard]] Thread& thread() { return *thread_; }
  [[nodiscard]] std::uint64_t entered() const { return enter_; }
  // Makes the call visible to the reader. After it, only the result half of the slot may change.
  void publish() {
    if (__builtin_expect(thread_->recording, 1))
      thread_->ring.publish();
    else
      refuse_more(*thread_, 1); // no room for one of its extensions
    note_front(*thread_, enter_);
  }

  void announce(std::uint64_t cost); // coupled: in place of publish(), end_poll(). cost: ticks of a poll, else 1
  void end_asked_poll(int code, bool found, std::uint16_t outcome, std::uint64_t cost);

  // Around the real call of what may wait (--isolate): another has the token. `works_too`: and works.
  void wait_begins(bool works_too = false) {
    waits_ = !works_too;
    if (waits_apart()) begin_waiting(*thread_);
  }
  void poll_begins() {
    if (waits_apart()) begin_polling(*thread_, repeated_ == nullptr ? 0 : repeated_->calls);
  }
  void wait_ends() {
    if (waits_apart()) end_waiting(*thread_);
  }

  void end(int code) { end_with(code == MPI_SUCCESS ? 0 : stream::kOutcomeError); }
  void end_with(std::uint16_t outcome) { end_at(clock_ticks(), outcome); }
  void end_at(std::uint64_t now, std::uint16_t outcome) {
    if (__builtin_expect(needs_reading(now), 0)) {
      stream::Others others{};
      const stream::Aside aside = call_aside(*thread_, enter_, now, &others);
      if (others.ns > 0) write_others(*thread_, stream::SlotKind::call_others, others);
      if (aside.own_ns > 0 && !waits_) write_aside(*thread_, stream::SlotKind::call_aside, aside);
    }
    slot_->result = stream::pack_result(lasted(now), outcome);
    leave(now);
  }
  // `request`: what the call has started; null: it starts none.
  void end_row(int code, const MPI_Request* request) {
    const bool fine = code == MPI_SUCCESS;
    if (!in_row_) {
      if (fine && request != nullptr) started(request);
      end(code);
      return;
    }
    const std::uint64_t now = clock_ticks();
    if (__builtin_expect(!fine || needs_reading(now) || !repeat(now, request), 0)) return leave_row(now, code, request);
    leave(now);
  }
  // The real poll has returned; before its results are written. What found something has a record.
  // Returns: something was found.
  bool settle_poll(int code, bool found) {
    if (__builtin_expect(repeated_ == nullptr || (code == MPI_SUCCESS && !found), 1)) return found;
    const stream::CallSlot poll = repeated_->call;
    repeated_ = nullptr;
    close_polls(*thread_);
    if (!record_again(poll, stream::kFlagRepeat)) { // results go nowhere
      unrecorded_ = poll;
      slot_ = &unrecorded_;
    }
    return found;
  }
  // Returns: ticks since its entry that are none of the poll's.
  std::uint64_t end_poll(int code, bool found, std::uint16_t outcome) {
    std::uint64_t now = clock_ticks();
    const std::uint64_t lost = __builtin_expect(needs_reading(now) || thread_->yielded_ticks != 0, 0) ? poll_aside(now) : 0;
    if (code == MPI_SUCCESS && !found) {
      if (repeated_ != nullptr) {
        repeated_->add(enter_ - thread_->last_exit, now - enter_, lost);
      } else {
        slot_->result = stream::pack_result(lasted(now), 0);
        thread_->polls[thread_->open_polls++] = {*slot_, 0, 0, 0, 0};
      }
    } else {
      thread_->open_polls = 0; // their rows are written
      slot_->result = stream::pack_result(lasted(now), code == MPI_SUCCESS ? outcome : stream::kOutcomeError);
      if (found) slot_->flags |= stream::kFlagFound;
    }
    leave(now);
    return lost;
  }

  // --- entry ---
  void communicator(MPI_Comm comm) {
    info_ = comm_info(*thread_, comm);
    slot_->comm = info_.id;
  }
  template <class Count> void message(Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
    communicator(comm);
    slot_->peer = peer_code(peer);
    slot_->tag = tag_code(tag);
    if (slot_->peer != stream::kNoPeer) slot_->bytes = size_of(count, type);
  }
  template <class Count> void receive(Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm) {
    message(count, type, source, tag, comm);
    if (slot_->peer == stream::kAnyPeer || slot_->tag == stream::kAnyTag) wildcards_posted.store(true, std::memory_order_relaxed);
  }
  template <class Count> void receive_half(Count count, MPI_Datatype type, int source, int tag) {
    stream::ReceiveHalf half{0, peer_code(source), tag_code(tag)};
    if (half.source != stream::kNoPeer) half.bytes = size_of(count, type);
    if (half.source == stream::kAnyPeer || half.tag == stream::kAnyTag) wildcards_posted.store(true, std::memory_order_relaxed);
    if (stream::ExtensionSlot* extension = add_slot(*thread_, stream::SlotKind::receive_half)) {
      extension->receive = half;
      extension->count = 1;
    }
  }
  // Only statuses tell from now on what came of some requests: of wildcards, of what is cancelled.
  static void wants_statuses() { wildcards_posted.store(true, std::memory_order_relaxed); }
  void request(const MPI_Request* request) { slot_->bytes = request_key(*request); }
  void requests(int count, const MPI_Request* requests) {
    slot_->peer = count;
    stream::ExtensionSlot* list = nullptr;
    for (int i = 0; i < count; ++i) {
      if (!add_handle(*thread_, list, stream::SlotKind::handles, stream::SlotKind::handle_numbers, request_key(requests[i])))
        return;
    }
  }
  template <class Handle> void object(Handle handle) { slot_->handle = key_of(handle); }
  template <class Handle> void object_beside_request(Handle handle) {
    stream::ExtensionSlot* list = nullptr;
    add_handle(*thread_, list, stream::SlotKind::handles, stream::SlotKind::handle_numbers, key_of(handle));
  }
  template <class Count> void payload(Count count, MPI_Datatype type) { slot_->bytes = size_of(count, type); }
  template <class Count> void received_payload(Count count, MPI_Datatype type) { slot_->result_bytes = size_of(count, type); }
  [[nodiscard]] bool between_groups() const { return info_.remote_size > 0; }
  [[nodiscard]] std::int64_t group_size() const { return between_groups() ? info_.remote_size : info_.size; }
  [[nodiscard]] std::int64_t group_rank() const { return info_.rank; }
  void target(int rank) { slot_->peer = peer_code(rank); }
  void group(MPI_Group group) { write_named_group(*thread_, group); }
  void collective(const CollectiveArguments& arguments, MPI_Comm comm);
  template <class Count> void counts(const CollectiveArguments& arguments, const CountArrays<Count>& arrays);

  // --- results ---
  void status(const MPI_Status& status) {
    slot_->status.source = peer_code(status.MPI_SOURCE);
    slot_->status.tag = status.MPI_TAG;
    slot_->result_bytes = status_bytes(status);
    if (status_cancelled(status)) slot_->flags |= stream::kFlagCancelled;
  }
  void statuses(const MPI_Status* statuses, int count, const int* indices) {
    SlotList<stream::StatusEntry> list(*thread_, stream::SlotKind::statuses);
    for (int i = 0; i < count; ++i) {
      if (statuses[i].MPI_SOURCE < 0 && !status_cancelled(statuses[i])) continue; // sends and empty statuses
      const auto index = static_cast<std::uint32_t>(indices == nullptr ? i : indices[i]);
      list.add({index, statuses[i].MPI_SOURCE, statuses[i].MPI_TAG, status_cancelled(statuses[i]) ? 1u : 0u,
                status_bytes(statuses[i])});
    }
  }
  void completed(int count, const int* indices) {
    SlotList<std::uint32_t> list(*thread_, stream::SlotKind::indices);
    for (int i = 0; i < count; ++i) list.add(static_cast<std::uint32_t>(indices[i]));
  }
  void matched(std::uint64_t key) { write_word(*thread_, stream::SlotKind::message, key); }
  void started(const MPI_Request* request) { slot_->handle = request_key(*request); }
  // Of MPI_Startall: Open MPI gives a persistent buffered send that is still under way another handle.
  void restarted(int count, const MPI_Request* requests) {
    stream::ExtensionSlot* list = nullptr;
    for (int i = 0; i < count; ++i) {
      if (!add_handle(*thread_, list, stream::SlotKind::started, stream::SlotKind::started_numbers, request_key(requests[i])))
        return;
    }
  }
  void new_communicator(MPI_Comm comm) {
    if (info_.id == stream::kSessionComm) adopt_session_comm(comm);
    slot_->handle = comm_info(*thread_, comm).id;
  }
  // Of a constructor without a parent, and of what comes from its communicators.
  void of_session() { slot_->comm = info_.id = stream::kSessionComm; }
  // Of a constructor that goes on after it has returned.
  void new_copy(MPI_Comm parent, MPI_Comm comm) { adopt_copy(*thread_, parent, comm); }

  static std::uint64_t request_key(MPI_Request request) {
    const std::uint64_t key = key_of(request);
    return key == constants.request_null ? 0 : key;
  }

private:
  template <class Count> std::uint64_t size_of(Count count, MPI_Datatype type) {
    return count <= 0 ? 0 : static_cast<std::uint64_t>(count) * type_size(*thread_, type);
  }
  bool locate(const char* name, void* return_address, void* frame) {
    thread_ = enter(frame, return_address, name);
    if (thread_ == nullptr) return false;
    if (__builtin_expect(thread_->counting, 0)) read_counters_at_entry(*thread_);
    enter_ = clock_ticks();
    site_ = reinterpret_cast<std::uint64_t>(return_address);
    const CallerKind kind = classify(thread_->sites, site_, name);
    if (__builtin_expect(kind == CallerKind::internal, 0)) return false;
    thread_->frame = frame;
    if (__builtin_expect(kind != CallerKind::program || stack_depth > 1, 0)) site_ = find_site(*thread_, site_, frames_, depth_);
    return true;
  }

  // What is measured apart, or comes after too long, begins a row of its own.
  [[nodiscard]] bool may_repeat(const OpenRow& row) const {
    return enter_ - row.since < process.row_ticks && (row.row == nullptr || row.row->calls < stream::kMostRowCalls) &&
           !thread_->counting && !process.multiple.load(std::memory_order_relaxed) &&
           enter_ - thread_->last_exit <= process.worthwhile_ticks;
  }
  // Returns: false when there is no room.
  bool repeat(std::uint64_t now, const MPI_Request* request) {
    OpenRow& open = thread_->row;
    if (__builtin_expect(open.row == nullptr, 0) && !add_row(*thread_)) return false;
    if (request != nullptr) {
      const stream::ExtensionSlot* before = open.list;
      if (!add_handle(*thread_, open.list, stream::SlotKind::started, stream::SlotKind::started_numbers, request_key(*request)))
        return false;
      if (open.list != before) thread_->ring.publish();
    }
    const std::uint64_t compute = enter_ - thread_->last_exit;
    const std::uint64_t in = now - enter_;
    stream::Row& row = *open.row;
    row.compute_ticks += compute;
    row.in_ticks += in;
    if (compute > row.most_compute_ticks) row.most_compute_ticks = compute;
    if (in > row.most_in_ticks) row.most_in_ticks = in;
    if (in < row.least_in_ticks) row.least_in_ticks = in;
    ++row.calls;
    return true;
  }
  // After the real call: a slot for one that was to be folded, with the arguments that it repeats.
  // Returns: false when there is none; the call is counted as refused then.
  bool record_again(const stream::CallSlot& call, std::uint8_t flags) {
    if (!thread_->recording) refuse_more(*thread_, 1);
    if (!thread_->recording || !open(call.function)) return false;
    slot_->flags = flags;
    slot_->comm = call.comm;
    slot_->bytes = call.bytes;
    slot_->peer = call.peer;
    slot_->tag = call.tag;
    publish();
    return true;
  }
  // A repetition that failed, was long or found no room has a record of its own.
  void leave_row(std::uint64_t now, int code, const MPI_Request* request) {
    const stream::CallSlot first = *slot_;
    if (!record_again(first, first.flags)) return leave(now);
    if (code == MPI_SUCCESS && request != nullptr) started(request);
    end_at(now, code == MPI_SUCCESS ? 0 : stream::kOutcomeError);
  }

  OpenPoll* find_open_poll(std::uint16_t function, std::uint64_t key, std::int32_t peer, std::int32_t tag) {
    for (std::uint32_t i = 0; i < thread_->open_polls; ++i) {
      const stream::CallSlot& call = thread_->polls[i].call;
      if (call.bytes == key && call.site == site_ && call.function == function && call.peer == peer && call.tag == tag)
        return &thread_->polls[i];
    }
    return nullptr;
  }

  bool open(std::uint16_t function) {
    thread_->row.first = nullptr;
    stream::Slot* slot = thread_->ring.reserve();
    if (__builtin_expect(slot == nullptr, 0)) {
      out_of_room(*thread_);
      refuse_more(*thread_, 1);
      thread_->frame = nullptr;
      return false;
    }
    slot_ = &slot->call;
    if (__builtin_expect(thread_->tells, 0)) thread_->ring.header()->entered.store(enter_, std::memory_order_relaxed);
    stream::Aside aside{};
    stream::Others others; // as aside, set where there was something to read
    if (__builtin_expect(enter_ - thread_->last_exit > process.worthwhile_ticks, 0))
      aside = region_aside(*thread_, enter_, others);
    *slot_ =
        stream::CallSlot{stream::SlotKind::call, 0, function, stream::kNoComm, enter_, site_, 0, stream::kNoPeer, 0, 0, {0}, 0};
    if (__builtin_expect(depth_ > 1, 0)) write_stack(*thread_, frames_, depth_);
    if (__builtin_expect(thread_->counting, 0)) write_counters(*thread_);
    if (__builtin_expect(aside.own_ns > 0, 0)) write_region(*thread_, aside, others);
    if (__builtin_expect(process.multiple.load(std::memory_order_relaxed), 0)) write_ticket(*thread_);
    return true;
  }

  [[nodiscard]] std::uint64_t lasted(std::uint64_t now) const { return now > enter_ ? now - enter_ : 1; } // 0: has not returned
  [[nodiscard]] bool needs_reading(std::uint64_t now) const {
    return now - enter_ > process.worthwhile_ticks || now - thread_->aside.ticks > process.refresh_ticks;
  }
  // Returns: ticks that are none of this poll's: not for its row to count; a record of its own has them.
  std::uint64_t poll_aside(std::uint64_t& now);

  void leave(std::uint64_t now) {
    thread_->last_exit = now;
    if (__builtin_expect(thread_->counting, 0)) read_counters_at_exit(*thread_);
    if (__builtin_expect(thread_->tells, 0)) thread_->ring.header()->left.store(now, std::memory_order_release);
    thread_->frame = nullptr;
    if (__builtin_expect(--thread_->until_sample < kSampledPerBurst, 0)) take_sample(*thread_, now);
  }

  Thread* thread_ = nullptr;
  stream::CallSlot* slot_ = nullptr;
  std::uint64_t enter_ = 0;
  std::uint64_t site_ = 0;
  CommInfo info_{};
  std::uint32_t depth_ = 0;
  OpenPoll* repeated_ = nullptr; // the open poll that this call repeats
  bool in_row_ = false;          // the call repeats the last one
  bool waits_ = false;           // for other ranks: it takes the model's time, whatever was measured
  stream::CallSlot unrecorded_;
  std::uint64_t frames_[kMaxStack]; // only written when the stack is walked
};

} // namespace farcast::interpose

#include "libinterpose/call_counts.h" // IWYU pragma: export
