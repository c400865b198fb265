#include "libinterpose/recorder.h"

#include "libinterpose/other_threads.h"

#include <sys/mman.h>

namespace farcast::interpose {

std::atomic<bool> wildcards_posted{false};

namespace {

std::uint64_t hash_of(const std::uint64_t* frames, std::uint32_t depth) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (std::uint32_t i = 0; i < depth; ++i) hash = stream::spread(hash ^ frames[i]);
  return hash | (std::uint64_t{1} << 63); // user-space addresses have this bit clear: keys and addresses do not collide
}

} // namespace

MPI_Status* status_scratch(int count) {
  static thread_local MPI_Status* room __attribute__((tls_model("initial-exec"))) = nullptr;
  static thread_local std::size_t capacity __attribute__((tls_model("initial-exec"))) = 0;
  const std::size_t needed = static_cast<std::size_t>(count) * sizeof(MPI_Status);
  if (needed > capacity) {
    if (room != nullptr) munmap(room, capacity);
    capacity = needed * 2;
    void* memory = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    room = memory == MAP_FAILED ? nullptr : static_cast<MPI_Status*>(memory);
    if (room == nullptr) capacity = 0;
  }
  return room == nullptr ? MPI_STATUSES_IGNORE : room;
}

std::uint64_t find_site(Thread& thread, std::uint64_t direct, std::uint64_t* frames, std::uint32_t& depth) {
  depth = walk(thread.sites, frames, stack_depth);
  if (depth == 0) { // no stack walker on this machine: the caller itself, as good as it gets
    frames[0] = direct;
    depth = 1;
  }
  return depth == 1 ? frames[0] : hash_of(frames, depth);
}

void write_stack(Thread& thread, const std::uint64_t* frames, std::uint32_t depth) {
  const std::uint64_t key = hash_of(frames, depth);
  std::uint64_t& known = thread.known_stacks[key % kKnownStacks];
  if (known == key) return;
  known = key;
  SlotList<std::uint64_t> list(thread, stream::SlotKind::stack);
  for (std::uint32_t i = 0; i < depth; ++i) list.add(frames[i]);
}

// The rows end where the last call ended, one beside the other.
void write_poll_rows(Thread& thread) {
  for (std::uint32_t i = 0; i < thread.open_polls; ++i) {
    OpenPoll& poll = thread.polls[i];
    if (poll.calls == 0) continue;
    stream::Slot* slot = thread.ring.reserve();
    if (slot == nullptr) {
      out_of_room(thread); // counts this row and those behind it
      return;
    }
    const std::uint64_t ticks = poll.compute_ticks + poll.in_ticks;
    slot->call = poll.call;
    slot->call.flags = stream::kFlagRow;
    slot->call.t_enter = thread.last_exit - ticks;
    slot->call.result = stream::pack_result(ticks, 0);
    const std::uint64_t calls = poll.calls;
    poll.calls = 0;
    const std::uint64_t aside_us = ns_of(poll.aside_ticks) / 1000;
    const auto aux = static_cast<std::uint32_t>(std::min<std::uint64_t>(aside_us, UINT32_MAX));
    if (stream::ExtensionSlot* extension = add_slot(thread, stream::SlotKind::fold, aux)) {
      extension->fold = {calls, poll.compute_ticks};
      extension->count = 1;
    }
    if (__builtin_expect(process.multiple.load(std::memory_order_relaxed), 0)) write_ticket(thread);
    if (!thread.recording) { // no room: what was not published does not count
      refuse_more(thread, calls);
      return;
    }
    thread.ring.publish();
    poll.compute_ticks = poll.in_ticks = poll.aside_ticks = 0;
  }
}

void close_polls(Thread& thread) {
  write_poll_rows(thread);
  thread.open_polls = 0;
}

// Published at once, and not behind the calls that they stand for: a rank that dies leaves what its
// row had.
bool add_row(Thread& thread) {
  stream::ExtensionSlot* slot = add_slot(thread, stream::SlotKind::row);
  if (slot == nullptr) return false;
  slot->row = {0, 0, 0, 0, 0, ~std::uint64_t{0}};
  slot->count = 1;
  thread.row.row = &slot->row;
  thread.ring.publish();
  return true;
}

void write_ticket(Thread& thread) {
  write_word(thread, stream::SlotKind::ticket, process.header->tickets.fetch_add(1, std::memory_order_relaxed));
}

namespace {
// Takes a reading for what lasted `ticks`, of which nobody can have been pushed aside for longer.
// `others`: may be null.
stream::Aside reading(Thread& thread, std::uint64_t lasted, std::uint64_t& now, stream::Others* others) {
  const std::uint64_t found = read_aside(thread.aside);
  if (others != nullptr && thread.first) *others = read_others(thread.aside);
  const std::uint64_t most = ns_of(lasted);
  const std::uint64_t before = now;
  now = clock_ticks();
  return {found < most ? found : most, ns_of(now - before)};
}
} // namespace

stream::Aside region_aside(Thread& thread, std::uint64_t& now, stream::Others& others) {
  others = {};
  return reading(thread, now - thread.last_exit, now, &others);
}

stream::Aside call_aside(Thread& thread, std::uint64_t enter, std::uint64_t& now, stream::Others* others) {
  const bool is_long = now - enter > process.worthwhile_ticks;
  const stream::Aside found = reading(thread, now - enter, now, is_long ? others : nullptr);
  return is_long ? found : stream::Aside{}; // the short calls and regions before this one, which nobody can tell apart
}

void write_aside(Thread& thread, stream::SlotKind kind, const stream::Aside& aside) {
  if (stream::ExtensionSlot* slot = add_slot(thread, kind)) {
    slot->aside = aside;
    slot->count = 1;
  }
}

void write_others(Thread& thread, stream::SlotKind kind, const stream::Others& others) {
  if (stream::ExtensionSlot* slot = add_slot(thread, kind)) {
    slot->others = others;
    slot->count = 1;
  }
}

void write_region(Thread& thread, const stream::Aside& aside, const stream::Others& others) {
  write_aside(thread, stream::SlotKind::region_aside, aside);
  if (others.ns > 0) write_others(thread, stream::SlotKind::region_others, others);
}

// From here on what is recorded of the call goes into the slot of its answer.
void Call::announce(std::uint64_t cost) {
  slot_->flags |= stream::kFlagAnnounced;
  slot_->result = stream::pack_result(cost, 0);
  const stream::CallSlot entry = *slot_;
  add_slot(*thread_, stream::SlotKind::announced);
  if (stream::Slot* const slot = thread_->recording ? thread_->ring.reserve() : nullptr) {
    slot_ = &slot->call;
    *slot_ = entry;
    slot_->flags = stream::kFlagAnswer;
    slot_->result = slot_->handle = slot_->result_bytes = 0;
  } else if (thread_->recording) {
    out_of_room(*thread_);
  }
  publish();
}

void Call::end_asked_poll(int code, bool found, std::uint16_t outcome, std::uint64_t cost) {
  std::uint64_t now = clock_ticks();
  // The core was somebody else's again and again while it waited for answers: not to be booked on
  // the next region. Of short waits one reading per millisecond does.
  if (now - thread_->aside.ticks > process.refresh_ticks) call_aside(*thread_, enter_, now, nullptr);
  // What the answer took to come is no time of the program's.
  if (cost > 0) write_aside(*thread_, stream::SlotKind::call_aside, {0, ns_of(now - enter_ > cost ? now - enter_ - cost : 0)});
  if (found) slot_->flags |= stream::kFlagFound;
  slot_->result = stream::pack_result(lasted(now), code == MPI_SUCCESS ? outcome : stream::kOutcomeError);
  leave(now);
}

// What other threads did meanwhile waits for a call that is recorded.
std::uint64_t Call::poll_aside(std::uint64_t& now) {
  stream::Aside aside{};
  if (needs_reading(now)) aside = call_aside(*thread_, enter_, now, nullptr);
  aside.ns += ns_of(thread_->yielded_ticks);
  if (aside.ns + aside.own_ns == 0) return 0;
  if (repeated_ == nullptr) write_aside(*thread_, stream::SlotKind::call_aside, aside);
  const auto lost = static_cast<std::uint64_t>(static_cast<double>(aside.ns + aside.own_ns) * process.ticks_per_ns);
  return lost < now - enter_ ? lost : now - enter_;
}

void Call::collective(const CollectiveArguments& a, MPI_Comm comm) {
  communicator(comm);
  const bool inter = info_.remote_size > 0;
  const bool rooted =
      a.shape == Shape::bcast || a.shape == Shape::gather || a.shape == Shape::scatter || a.shape == Shape::reduce;
  const bool in_place = a.send_buffer == MPI_IN_PLACE || a.receive_buffer == MPI_IN_PLACE;
  if (in_place) slot_->flags |= stream::kFlagInPlace;
  slot_->peer = a.shape == Shape::neighbor ? 0 : peer_code(a.root);
  if (inter && rooted && slot_->peer == stream::kNoPeer) return; // no argument but root and comm is significant
  if (a.has_op && is_commutative(a.op)) slot_->flags |= stream::kFlagCommutative;
  if (a.has_op && a.has_type) slot_->tag = static_cast<std::int32_t>(std::min<std::uint64_t>(size_of(1, a.type), INT32_MAX));
  const bool at_root = inter ? a.root == MPI_ROOT : a.root == info_.rank;
  const bool sends =
      a.send_buffer != MPI_IN_PLACE && (a.shape != Shape::scatter || at_root) && !(inter && a.shape == Shape::gather && at_root);
  const bool receives = a.receive_buffer != MPI_IN_PLACE && (a.shape != Shape::gather || at_root) &&
                        !(inter && a.shape == Shape::scatter && at_root);
  if (a.has_type) slot_->bytes = slot_->result_bytes = size_of(a.count, a.type);
  if (a.send_count > 0 && sends) slot_->bytes = size_of(a.send_count, a.send_type);
  if (a.receive_count > 0 && receives) slot_->result_bytes = size_of(a.receive_count, a.receive_type);
  // MPI ignores the send count beside MPI_IN_PLACE, Open MPI's choice for MPI_Allgather does not.
  if (a.shape == Shape::exchange && a.send_buffer == MPI_IN_PLACE && a.send_count > 0)
    slot_->tag = static_cast<std::int32_t>(std::min<std::uint64_t>(size_of(a.send_count, a.receive_type), INT32_MAX));
  // In place, one side's figures stand for both.
  if (a.send_buffer == MPI_IN_PLACE && a.receive_count > 0 && receives) slot_->bytes = slot_->result_bytes;
  if (a.receive_buffer == MPI_IN_PLACE && a.send_count > 0 && sends) slot_->result_bytes = slot_->bytes;
  if (a.shape == Shape::neighbor) {
    int in = 0;
    int out = 0;
    neighbor_counts(comm, in, out);
    slot_->peer = (in << 16) | (out & 0xffff);
  }
}

} // namespace farcast::interpose
