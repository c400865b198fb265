#include "predictor/trace/call_reader.h"

#include "predictor/trace/function_info.h"

#include <algorithm>
#include <iterator>

namespace farcast::trace {

using stream::SlotKind;

namespace {
// One slot can stand for any number of ranks: memory for them is given to what a job of that size
// can have.
constexpr std::size_t kMostRanks = std::size_t{1} << 24;   // of one group, in a job of unknown size
constexpr std::size_t kMostForeign = std::size_t{1} << 16; // of one group, from other worlds (MPI_Comm_spawn)
constexpr std::size_t kMostDefined = std::size_t{1} << 27; // of all communicators that one stream defines

bool is_poll_of_requests(std::uint16_t function) {
  const std::vector<FunctionInfo>& infos = function_infos();
  if (function >= infos.size()) return false;
  const FunctionClass kind = infos[function].kind;
  return kind == FunctionClass::testall || kind == FunctionClass::testany || kind == FunctionClass::testsome;
}
} // namespace

CallReader::CallReader(const SlotStream& stream, int world_size, Reading reading)
    : cursor_(stream, reading), most_ranks_(world_size <= 0 ? kMostRanks : static_cast<std::size_t>(world_size) + kMostForeign),
      announced_(reading == Reading::fetching) {}

bool CallReader::add_answer(const stream::CallSlot& slot, RecordedCall& call) const {
  if (announced_ || (slot.flags & stream::kFlagAnswer) == 0 || (call.slot.flags & stream::kFlagAnnounced) == 0) return false;
  call.slot.flags = static_cast<std::uint8_t>((call.slot.flags | slot.flags) & ~(stream::kFlagAnnounced | stream::kFlagAnswer));
  call.slot.result = slot.result;
  if (slot.handle != 0) call.slot.handle = slot.handle; // else that of the window or file that it names
  if (slot.result_bytes != 0) call.slot.result_bytes = slot.result_bytes;
  return true;
}

const stream::Slot* CallReader::take() {
  if (at_ == window_.size()) {
    window_ = cursor_.next();
    at_ = 0;
    corrupt_ = corrupt_ || cursor_.failed();
    if (window_.empty()) return nullptr;
  }
  ++slots_read_;
  return &window_[at_++];
}

void CallReader::start(RecordedCall& call, const stream::CallSlot& slot) {
  call.slot = slot;
  if (call.bare) return;
  call.bare = true;
  call.handles.clear();
  call.restarted.clear();
  call.send_counts.clear();
  call.receive_counts.clear();
  call.statuses.clear();
  call.indices.clear();
  call.stack.clear();
  call.counters.clear();
  call.groups.clear();
  call.group.reset();
  call.receive_half.reset();
  call.region_cpu_ns.reset();
  call.region_aside.reset();
  call.call_aside.reset();
  call.region_others.reset();
  call.call_others.reset();
  call.ticket.reset();
  call.message.reset();
  call.fold.reset();
  call.fold_aside_s = 0;
  call.has_send_counts = call.has_receive_counts = call.has_statuses = false;
}

bool CallReader::next(RecordedCall& out) {
  if (repetition_ < row_.calls) {
    repeat(out);
    return true;
  }
  row_ = {};
  repetition_ = 0;
  started_.clear();
  if (!read(out)) return false;
  if (row_.calls > 0) {
    open_row(out);
  } else if (!started_.empty()) {
    out.restarted = started_;
    out.bare = false;
  }
  if (!out.handles.empty() || (out.slot.flags & stream::kFlagRepeat) != 0) keep_requests(out);
  return true;
}

void CallReader::open_row(const RecordedCall& call) {
  // A rank that died between two stores may have noted a request of a call that it did not count
  // any more.
  if (!started_.empty()) row_.calls = std::min<std::uint64_t>(row_.calls, started_.size());
  row_.most_compute_ticks = std::min(row_.most_compute_ticks, row_.compute_ticks);
  row_.most_in_ticks = std::min(row_.most_in_ticks, row_.in_ticks);
  repetition_ = 0;
  repeated_ = call.slot;
}

// The first repetition has what took longest; the others share the rest so that the sums are the
// row's, to the tick.
void CallReader::repeat(RecordedCall& out) {
  const auto share = [this](std::uint64_t sum, std::uint64_t most) {
    if (repetition_ == 0) return most;
    const Repetitions::Times times = rest_of(sum, most);
    return times.least + (times.longer > 0 ? 1 : 0);
  };
  const std::uint64_t exit = repeated_.t_enter + stream::duration_of(repeated_.result);
  repeated_.t_enter = exit + share(row_.compute_ticks, row_.most_compute_ticks);
  repeated_.result = stream::pack_result(share(row_.in_ticks, row_.most_in_ticks), 0);
  if (!started_.empty()) repeated_.handle = started_[repetition_];
  ++repetition_;
  start(out, repeated_);
}

// Of a row's ticks, what those of its calls share that were not given yet; the first one was.
Repetitions::Times CallReader::rest_of(std::uint64_t sum, std::uint64_t most) const {
  const std::uint64_t others = row_.calls - 1;
  const std::uint64_t longer = (sum - most) % others;
  return {(sum - most) / others, longer - std::min(longer, repetition_ - 1)};
}

Repetitions CallReader::take_repetitions() {
  Repetitions rest;
  rest.calls = repetitions();
  rest.compute = rest_of(row_.compute_ticks, row_.most_compute_ticks);
  rest.in = rest_of(row_.in_ticks, row_.most_in_ticks);
  if (!started_.empty()) rest.started = std::span<const std::uint64_t>(started_).subspan(repetition_, rest.calls);
  repetition_ = row_.calls;
  return rest;
}

// The interposer has at most kMostOpenPolls open, each of them noted here since it was recorded last.
void CallReader::keep_requests(RecordedCall& call) {
  const auto same = [&call](const OpenPoll& poll) {
    const stream::CallSlot &a = poll.slot, &b = call.slot;
    return a.function == b.function && a.site == b.site && a.bytes == b.bytes && a.peer == b.peer && a.tag == b.tag;
  };
  const auto known = std::find_if(open_polls_.begin(), open_polls_.end(), same);
  if ((call.slot.flags & stream::kFlagRepeat) != 0) {
    if (known != open_polls_.end()) {
      call.handles = known->requests;
      call.bare = false;
    }
    return;
  }
  if (!is_poll_of_requests(call.slot.function) || (call.slot.flags & stream::kFlagFound) != 0) return;
  if (known != open_polls_.end()) open_polls_.erase(known);
  if (open_polls_.size() == stream::kMostOpenPolls) open_polls_.erase(open_polls_.begin());
  open_polls_.push_back({call.slot, call.handles});
}

bool CallReader::read(RecordedCall& out) {
  if (corrupt_) return false; // what follows a damaged slot has no meaning
  bool open = false;
  if (pending_) {
    start(out, *pending_);
    pending_.reset();
    open = true;
  }
  while (const stream::Slot* slot = take()) {
    switch (slot->kind) {
    case SlotKind::call:
      if (open && add_answer(slot->call, out)) break;
      if (open) {
        pending_ = slot->call;
        return true;
      }
      start(out, slot->call);
      out.groups.swap(early_groups_);
      out.bare = out.groups.empty();
      row_ = {}; // nothing that stands before the first call repeats
      started_.clear();
      open = true;
      break;
    case SlotKind::end:
      if (open) return true;
      break;
    case SlotKind::announced: // what comes of it is a call of its own, and not there yet
      if (open && announced_) return true;
      break;
    default:
      if (open) {
        add(slot->extension, out);
      } else { // before the first call only definitions mean something
        early_.groups.swap(early_groups_);
        add(slot->extension, early_);
        early_.groups.swap(early_groups_);
      }
    }
    if (corrupt_) return open;
  }
  return open;
}

// Counts come from another process: never trust them beyond the slot.
void CallReader::add_ranges(const stream::ExtensionSlot& e, std::vector<int>& ranks) {
  for (std::size_t i = 0; i < std::min<std::size_t>(e.count, 4); ++i) {
    const stream::RankRange& range = e.ranges[i];
    const std::int64_t last = range.first + (std::int64_t{range.count} - 1) * range.stride;
    if (range.count > most_ranks_ - std::min(ranks.size(), most_ranks_) || last != static_cast<std::int32_t>(last)) {
      corrupt_ = true;
      return;
    }
    for (std::uint32_t k = 0; k < range.count; ++k)
      ranks.push_back(static_cast<int>(range.first + std::int64_t{k} * range.stride));
  }
}

void CallReader::add_handles(const stream::ExtensionSlot& e, std::vector<std::uint64_t>& handles) {
  const bool brief = e.kind == SlotKind::handle_numbers || e.kind == SlotKind::started_numbers;
  const std::size_t count = std::min<std::size_t>(e.count, brief ? std::size(e.numbers) : std::size(e.words));
  for (std::size_t i = 0; i < count; ++i) {
    if (brief)
      handles.push_back(known_handles_[e.numbers[i] % stream::kKnownHandles]);
    else
      handles.push_back(known_handles_[stream::place_of_handle(e.words[i])] = e.words[i]);
  }
}

// Members of a communicator, or its neighbours.
void CallReader::add_definition(const stream::ExtensionSlot& e, RecordedCall& call) {
  if (call.groups.empty() || call.groups.back().comm != e.aux || call.groups.back().kind != e.kind)
    call.groups.push_back({e.aux, e.kind, {}});
  std::vector<int>& ranks = call.groups.back().ranks;
  if (e.kind == SlotKind::sources || e.kind == SlotKind::destinations) {
    ranks.insert(ranks.end(), e.ranks, e.ranks + std::min<std::size_t>(e.count, std::size(e.ranks)));
    return;
  }
  const std::size_t before = ranks.size();
  add_ranges(e, ranks);
  defined_ += ranks.size() - before;
  corrupt_ = corrupt_ || defined_ > kMostDefined;
}

void CallReader::add_row(const stream::ExtensionSlot& e) {
  if (e.kind != SlotKind::row) {
    add_handles(e, started_);
    corrupt_ = corrupt_ || started_.size() > stream::kMostRowCalls + 1;
    return;
  }
  const stream::Row& row = e.row;
  if (row.calls > stream::kMostRowCalls || row.compute_ticks > stream::kDurationMask || row.in_ticks > stream::kDurationMask)
    corrupt_ = true;
  else
    row_ = row;
}

// What a call has several of. Returns: false when the slot holds something else.
bool CallReader::add_list(const stream::ExtensionSlot& e, RecordedCall& call) {
  const auto append = [&](auto& list, const auto* entries, std::size_t most) {
    list.insert(list.end(), entries, entries + std::min<std::size_t>(e.count, most));
  };
  switch (e.kind) {
  case SlotKind::send_counts:
    call.has_send_counts = true;
    append(call.send_counts, e.words, 7);
    return true;
  case SlotKind::receive_counts:
    call.has_receive_counts = true;
    append(call.receive_counts, e.words, 7);
    return true;
  case SlotKind::stack:
    append(call.stack, e.words, 7);
    return true;
  case SlotKind::statuses:
    call.has_statuses = true;
    append(call.statuses, e.statuses, 2);
    return true;
  case SlotKind::indices:
    append(call.indices, e.indices, 14);
    return true;
  case SlotKind::counters:
    append(call.counters, e.words, 7);
    return true;
  default:
    return false;
  }
}

void CallReader::add(const stream::ExtensionSlot& e, RecordedCall& call) {
  call.bare = false;
  switch (e.kind) {
  case SlotKind::receive_half:
    call.receive_half = e.receive;
    break;
  case SlotKind::handles:
  case SlotKind::handle_numbers:
    add_handles(e, call.handles);
    break;
  case SlotKind::region_cpu:
    call.region_cpu_ns = e.words[0];
    break;
  case SlotKind::region_aside:
    call.region_aside = e.aside;
    break;
  case SlotKind::call_aside: { // what a coupled call's answer took to come, and what others had of the rest
    const stream::Aside known = call.call_aside.value_or(stream::Aside{});
    call.call_aside = stream::Aside{known.ns + e.aside.ns, known.own_ns + e.aside.own_ns};
    break;
  }
  case SlotKind::region_others:
    call.region_others = e.others;
    break;
  case SlotKind::call_others:
    call.call_others = e.others;
    break;
  case SlotKind::ticket:
    call.ticket = e.words[0];
    break;
  case SlotKind::group:
    if (!call.group) call.group.emplace();
    add_ranges(e, *call.group);
    break;
  case SlotKind::members:
  case SlotKind::remote_members:
  case SlotKind::sources:
  case SlotKind::destinations:
    add_definition(e, call);
    break;
  case SlotKind::fold:
    call.fold = e.fold;
    call.fold_aside_s = e.aux * 1e-6;
    break;
  case SlotKind::row:
  case SlotKind::started:
  case SlotKind::started_numbers:
    add_row(e);
    break;
  case SlotKind::message:
    call.message = e.words[0];
    break;
  default:
    corrupt_ = corrupt_ || !add_list(e, call);
  }
}

} // namespace farcast::trace
