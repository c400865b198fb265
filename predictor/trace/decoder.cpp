#include "predictor/trace/decoder.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace farcast::trace {

namespace {

// What the rank's other threads used before the call and in it.
void add_others(const RecordedCall& call, Operation& operation) {
  double before = 0;
  double in_call = 0;
  if (call.region_others) before = others_beyond(*call.region_others, operation.compute.value());
  if (call.call_others) {
    const auto [earlier, inside] = split_at_call(*call.call_others, operation.measured.value());
    before += earlier;
    in_call = inside;
  }
  operation.others_s = static_cast<float>(before);
  operation.others_in_call_s = static_cast<float>(in_call);
}

std::uint64_t ticks_of(const Repetitions& row) {
  return row.calls * (row.compute.least + row.in.least) + row.compute.longer + row.in.longer;
}

base::Seconds sum_of(const RepeatedOperations::Times& times, std::uint64_t calls) {
  const auto longer = static_cast<double>(times.longer);
  return times.long_one * longer + times.short_one * (static_cast<double>(calls) - longer);
}

bool is_collective(OperationKind kind) { return kind == OperationKind::collective || kind == OperationKind::icollective; }

} // namespace

Decoder::Decoder(Recording& recording, RankRecording& rank, SiteTable& sites, CommRegistry& comms, bool coupled)
    : rank_(rank), sites_(sites), resolver_(sites, rank, recording.mutex), comms_(comms, rank.rank, recording.world_size),
      seconds_per_tick_(1.0 / rank.ticks_per_second), disconnect_waits_(recording.mpi_library != "MPICH"), coupled_(coupled) {
  const std::lock_guard<std::mutex> lock(recording.mutex); // further threads may come
  const std::size_t count = rank.multithreaded ? rank.threads.size() : std::min<std::size_t>(1, rank.threads.size());
  threads_.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    threads_[i].reader =
        std::make_unique<CallReader>(*rank.threads[i], recording.world_size, coupled ? Reading::fetching : Reading::at_once);
}

base::Seconds Decoder::seconds(std::uint64_t ticks) const {
  return base::Seconds(static_cast<double>(ticks) * seconds_per_tick_);
}

std::uint64_t Decoder::slots_read() const {
  std::uint64_t sum = 0;
  for (const Thread& thread : threads_) sum += thread.reader->slots_read();
  return sum;
}

bool Decoder::next(std::size_t thread, Operation& out) {
  if (thread >= threads_.size()) return false; // a rank of which nothing was recorded
  Thread& from = threads_[thread];
  while (from.queue.empty() || !from.queue.front().ready()) {
    if (!advance(thread)) end_of_streams();
    if (from.queue.empty() && from.ended) queue_polls(from);
    if (from.queue.empty() && from.ended) return false;
  }
  QueuedOperation& front = from.queue.front();
  out = std::move(front.operation);
  if (front.wildcard != nullptr && front.wildcard->source != kUnknownPeer) {
    out.peer = front.wildcard->source;
    out.tag = front.wildcard->tag;
  }
  computed_ = {front.from, front.to};
  repeated_ = front.repeated;
  from.queue.pop_front();
  return true;
}

bool Decoder::read_head(Thread& thread) {
  if (thread.has_head) return true;
  if (thread.ended) return false;
  thread.has_head = thread.reader->next(thread.head);
  thread.ended = !thread.has_head;
  return thread.has_head;
}

// Which thread's call comes next: the one with the lowest ticket; calls before a second thread
// appeared have none and come first.
std::size_t Decoder::pick() {
  std::size_t best = threads_.size();
  std::uint64_t best_ticket = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (!read_head(threads_[i])) continue;
    const std::uint64_t ticket = threads_[i].head.ticket ? *threads_[i].head.ticket + 1 : 0;
    if (ticket < best_ticket) {
      best_ticket = ticket;
      best = i;
    }
  }
  return best;
}

// Translates one more call. Returns: false when nothing is left.
bool Decoder::advance(std::size_t wanted) {
  const std::size_t chosen = threads_.size() == 1 ? (read_head(threads_[wanted]) ? wanted : threads_.size()) : pick();
  if (chosen == threads_.size()) return false;
  Thread& thread = threads_[chosen];
  thread.has_head = false;
  const std::size_t queued = thread.queue.size();
  translate(thread, thread.head);
  if (folded_ && thread.reader->repetitions() > 0 && thread.queue.size() == queued + 1) fold_repetitions(thread);
  return true;
}

RepeatedOperations::Times Decoder::seconds_of(const Repetitions::Times& times, std::uint64_t less) const {
  const auto rest = [&](std::uint64_t ticks) { return seconds(beyond(ticks, less)); };
  return {rest(times.least + 1), rest(times.least), times.longer};
}

// The call that was translated last, and has made one operation, is repeated: so is that, where all
// that a repetition brings is times and a request.
void Decoder::fold_repetitions(Thread& thread) {
  QueuedOperation& last = thread.queue[thread.queue.size() - 1];
  const FunctionInfo& info = function_infos()[last.operation.function];
  const OperationKind kind = last.operation.kind;
  const bool starts = kind == OperationKind::isend || kind == OperationKind::ireceive;
  const bool known = starts && (info.kind == FunctionClass::isend || info.kind == FunctionClass::irecv);
  if (!known || !thread.started || last.wildcard != nullptr || !thread.reader->repetitions_start()) return;
  const Repetitions rest = thread.reader->take_repetitions();
  last.repeated = {rest.calls, seconds_of(rest.compute, rank_.overhead_ticks), seconds_of(rest.in, rank_.in_call_ticks)};
  for (const std::uint64_t handle : rest.started) requests_.add(handle, requests_.new_id());
  thread.last_exit += ticks_of(rest);
}

// What is left of a row of local calls is one operation: nobody sees when each of them was.
void Decoder::local(Thread& thread, const FunctionInfo& info, Operation&& operation) {
  const auto add = [&](Operation&& one) {
    if (!thread.polls.empty() && !info.unmodelled)
      thread.polls.add_call({std::move(one), preparing_.first, preparing_.second});
    else
      push(thread, std::move(one));
  };
  std::optional<Operation> rest;
  if (threads_.size() == 1 && thread.started && thread.reader->repetitions() > 0) rest = operation;
  add(std::move(operation));
  if (!rest) return;
  const Repetitions row = thread.reader->take_repetitions();
  rest->compute = sum_of(seconds_of(row.compute, rank_.overhead_ticks), row.calls);
  rest->measured = sum_of(seconds_of(row.in, rank_.in_call_ticks), row.calls);
  rest->times = row.calls;
  rest->even = true;
  preparing_ = {thread.last_exit, thread.last_exit + ticks_of(row)};
  thread.last_exit = preparing_.second;
  add(std::move(*rest));
}

// What is still open now stays open: wildcard receives that nobody completed.
void Decoder::end_of_streams() {
  for (Thread& thread : threads_) {
    thread.ended = true;
    for (std::size_t i = 0; i < thread.queue.size(); ++i) {
      if (thread.queue[i].wildcard != nullptr) thread.queue[i].wildcard->resolved = true;
    }
  }
}

void Decoder::push(Thread& thread, Operation&& operation, std::shared_ptr<WildcardOutcome> wildcard) {
  if (!thread.polls.empty()) queue_polls(thread);
  // Threads reach their calls at other times in the prediction: what they call is told by the real run.
  if (threads_.size() > 1 && is_collective(operation.kind) && operation.communicator != nullptr &&
      operation.call_number == kNotCounted)
    operation.call_number = collectives_[operation.communicator->id]++;
  QueuedOperation& queued = thread.queue.add();
  queued.operation = std::move(operation);
  queued.wildcard = std::move(wildcard);
  queued.from = preparing_.first;
  queued.to = preparing_.second;
  queued.repeated.count = 0;
  preparing_.first = preparing_.second; // the first operation of a call carries its computation
}

// What every operation has: the computation before it, its region and site.
Operation Decoder::prepare(Thread& thread, const RecordedCall& call) {
  if (!call.stack.empty()) resolver_.define_stack(call.slot.site, call.stack);
  Operation operation;
  operation.function = call.slot.function;
  operation.site = resolver_.site(call.slot.site, call.slot.function);
  operation.measured = base::Seconds(
      without(seconds(beyond(stream::duration_of(call.slot.result), rank_.in_call_ticks)).value(), call.call_aside));
  preparing_ = {0, 0};
  if (thread.started || (thread.last_exit == 0 && init_exit_ != 0)) {
    const std::uint64_t since = thread.started ? thread.last_exit : init_exit_;
    const std::uint64_t gap = call.slot.t_enter > since ? call.slot.t_enter - since : 0;
    const base::Seconds outside = seconds(beyond(gap, rank_.overhead_ticks));
    operation.compute = base::Seconds(without(outside.value(), call.region_aside));
    if (call.region_cpu_ns) operation.compute = base::Seconds(static_cast<double>(*call.region_cpu_ns) * 1e-9);
    add_others(call, operation);
    if (call.slot.t_enter > since) preparing_ = {since, call.slot.t_enter};
    thread.started = true;
  }
  operation.region = sites_.region(thread.has_last_site ? thread.last_site : operation.site, operation.site);
  thread.last_site = operation.site;
  thread.has_last_site = true;
  thread.last_exit = call.slot.t_enter + stream::duration_of(call.slot.result);
  return operation;
}

void Decoder::define_communicators(const RecordedCall& call, const FunctionInfo& info) {
  std::optional<CommTable::Constructor> by;
  if (info.kind == FunctionClass::comm_ctor || info.kind == FunctionClass::comm_ictor) by = {call.slot.comm};
  if (info.kind == FunctionClass::comm_group_ctor) by = {call.slot.comm, call.slot.tag};
  comms_.define(call.groups, by);
}

void Decoder::translate(Thread& thread, const RecordedCall& call) {
  const std::vector<FunctionInfo>& infos = function_infos();
  if (call.slot.function >= infos.size()) return comms_.define(call.groups); // corrupt: the tally reports it
  const FunctionInfo& info = infos[call.slot.function];
  if (!call.groups.empty()) define_communicators(call, info);
  const bool timed = info.timed_values && info.kind != FunctionClass::local;
  hung_on_timing_ = hung_on_timing_ || timed || hangs_on_timing(info, call.slot) || receives_from_anybody(call);
  if (coupled_ && (call.slot.flags & stream::kFlagAnswer) != 0) { // no computation leads to it
    thread.last_exit = call.slot.t_enter + stream::duration_of(call.slot.result);
    return settle(thread, call);
  }
  Operation operation = prepare(thread, call);
  if (coupled_ && (call.slot.flags & stream::kFlagAnnounced) != 0) {
    announced_ = call;
    return announce(thread, call, info, std::move(operation));
  }
  if (stream::outcome_of(call.slot.result) == stream::kOutcomeError) {
    operation.kind = OperationKind::local;
    push(thread, std::move(operation));
    return;
  }
  if (is_outside(call.slot.comm)) {
    as_measured(thread, call, info, std::move(operation));
    return;
  }
  translate_by_group(thread, call, info, std::move(operation));
}

void Decoder::translate_by_group(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  switch (info.group) {
  case FunctionGroup::init:
    operation.kind = OperationKind::init;
    init_exit_ = thread.last_exit;
    thread.started = true;
    push(thread, std::move(operation));
    break;
  case FunctionGroup::finalize:
    operation.kind = OperationKind::finalize;
    push(thread, std::move(operation));
    break;
  case FunctionGroup::message:
    message(thread, call, info, std::move(operation));
    break;
  case FunctionGroup::probe:
    probe(thread, call, info, std::move(operation));
    break;
  case FunctionGroup::persistent:
    persistent(call, info, Operation(operation));
    push(thread, std::move(operation));
    break;
  case FunctionGroup::start:
    start(thread, call, std::move(operation));
    break;
  case FunctionGroup::completion:
    completion(thread, call, info, std::move(operation));
    break;
  case FunctionGroup::collective:
    collective(thread, call, info, std::move(operation));
    break;
  case FunctionGroup::agreement:
    agreement(thread, call, info, std::move(operation));
    break;
  case FunctionGroup::object_request:
    object_request(thread, call, std::move(operation));
    break;
  case FunctionGroup::window:
    window(thread, call, info, std::move(operation));
    break;
  case FunctionGroup::storage:
    storage(thread, call, info, std::move(operation));
    break;
  case FunctionGroup::local:
    if (is_with_other_jobs(info.kind) && (call.slot.flags & stream::kFlagAnnounced) != 0) {
      Operation together = operation; // its time is what it took from then on
      together.measured = base::Seconds(0.0);
      agreement(thread, call, info, std::move(together));
      const base::Seconds measured = operation.measured;
      continue_call(operation);
      operation.measured = measured;
    }
    local(thread, info, std::move(operation));
    break;
  }
}

} // namespace farcast::trace
