// Decoder: calls of a coupled run, which are announced before they are made
// (libinterpose/stream/README.md).
//
// What a call asks for becomes an operation when it is announced; what came of it only updates what is
// known of requests, communicators and matched messages when it has returned.
#include "predictor/trace/decoder.h"

#include <utility>

namespace farcast::trace {

namespace {

using C = FunctionClass;

Completes completes_of(C kind) {
  switch (kind) {
  case C::waitany:
  case C::testany:
    return Completes::any;
  case C::waitsome:
  case C::testsome:
    return Completes::some;
  default:
    return Completes::all;
  }
}

} // namespace

int Decoder::asked_peer(const RecordedCall& call, int peer) const {
  if (peer == stream::kAnyPeer) return kAnyPeer;
  const KnownComm* comm = comms_.find(call.slot.comm);
  return comm == nullptr ? kProcNull : CommTable::to_world(*comm, peer);
}

void Decoder::announce(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const bool of_messages = info.group == FunctionGroup::message || info.group == FunctionGroup::completion;
  operation.asked = !of_messages || (call.slot.flags & stream::kFlagAhead) == 0;
  const bool alone = is_outside(call.slot.comm); // nobody knows who else comes
  const bool other_jobs = is_with_other_jobs(info.kind);
  operation.away = alone || info.kind == C::comm_connect; // of processes that are started nothing else is waited for
  if (alone || other_jobs) note_inside(operation);
  switch (alone ? FunctionGroup::local : info.group) {
  case FunctionGroup::message:
    return announce_message(thread, call, info, std::move(operation));
  case FunctionGroup::probe: {
    const KnownComm* comm = comms_.find(call.slot.comm);
    operation.kind = OperationKind::probe;
    operation.probes = info.kind == C::iprobe || info.kind == C::improbe;
    if (operation.probes) operation.kind = OperationKind::poll;
    operation.peer = asked_peer(call, call.slot.peer);
    operation.tag = call.slot.tag;
    operation.communicator = comm == nullptr ? nullptr : comm->shared;
    if (info.kind == C::mprobe || info.kind == C::improbe) operation.message = taken_ = requests_.new_id();
    return push(thread, std::move(operation));
  }
  case FunctionGroup::completion:
    return announce_completion(thread, call, info, std::move(operation));
  case FunctionGroup::collective:
    return collective(thread, call, info, std::move(operation));
  case FunctionGroup::agreement:
    inside_.collective = nullptr;
    return agreement(thread, call, info, std::move(operation));
  case FunctionGroup::storage: // a collective access
    note_inside(operation);
    return agreement(thread, call, info, std::move(operation));
  case FunctionGroup::window: // MPI_Win_start, MPI_Win_wait, MPI_Win_lock, MPI_Win_lock_all
    operation.kind = OperationKind::local;
    note_inside(operation);
    operation.measured = base::Seconds(0.0);
    return window(thread, call, info, std::move(operation));
  case FunctionGroup::finalize: // the answer is when it is, for clocks that go on
    operation.kind = OperationKind::finalize;
    return push(thread, std::move(operation));
  default: // MPI_Wtime, and what is answered at once
    operation.kind = OperationKind::local;
    operation.measured = base::Seconds(0.0);
    if (other_jobs && !alone) return agreement(thread, call, info, std::move(operation));
    return push(thread, std::move(operation));
  }
}

// What of the announced call is only known when it has returned.
void Decoder::note_inside(const Operation& announced) {
  inside_ = announced;
  inside_.asked = inside_.away = false;
  continue_call(inside_);
}

// How long the members of an announced agreement work once it is made.
void Decoder::note_work(const Operation& announced) {
  note_inside(announced);
  auto work = std::make_shared<Collective>(*announced.collective);
  work->works = work->met = true;
  inside_.collective = std::move(work);
}

// Recv, Sendrecv, Mrecv and Ssend.
void Decoder::announce_message(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  if (info.kind == C::mrecv) return matched_receive(thread, call, info, std::move(operation));
  const KnownComm* comm = comms_.find(call.slot.comm);
  operation.communicator = comm == nullptr ? nullptr : comm->shared;
  operation.bytes = bytes_of(call.slot.bytes);
  operation.peer = asked_peer(call, call.slot.peer);
  operation.tag = call.slot.tag;
  operation.mode = info.mode;
  operation.kind = info.kind == C::send ? OperationKind::send : OperationKind::receive;
  if (info.kind == C::sendrecv && call.receive_half) {
    operation.kind = OperationKind::send_receive;
    operation.receive_peer = asked_peer(call, call.receive_half->source);
    operation.receive_tag = call.receive_half->tag;
    operation.reply_bytes = bytes_of(call.receive_half->bytes);
  }
  push(thread, std::move(operation));
}

void Decoder::announce_completion(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const bool cancels = info.kind == C::cancel;
  const bool single = info.kind == C::wait || info.kind == C::test || info.kind == C::request_get_status || cancels;
  const bool waits = info.kind == C::wait || info.kind == C::waitall || info.kind == C::waitany || info.kind == C::waitsome;
  operation.kind = cancels ? OperationKind::forget : waits ? OperationKind::wait : OperationKind::poll;
  operation.polled = !waits && !cancels;
  operation.completes = completes_of(info.kind);
  operation.keeps = info.kind == C::request_get_status;
  const std::vector<std::uint64_t> one{call.slot.bytes};
  for (const std::uint64_t handle : single ? one : call.handles) {
    const Request* const request = requests_.find(handle);
    const bool active = request != nullptr && request->id_count > 0 && (!request->persistent || request->active);
    const bool known = request == nullptr || request->id_count > 0 || (request->persistent && request->start != nullptr);
    operation.away = operation.away || !known;
    const bool all = operation.completes == Completes::all;
    // Of MPI_Isendrecv the receive counts where one must stand for both.
    operation.requests.push_back(!active ? 0 : request->ids[all ? 0 : request->id_count - 1]);
    if (active && request->id_count > 1 && all) operation.requests.push_back(request->ids[1]);
  }
  push(thread, std::move(operation));
}

// The library has refused what was granted.
void Decoder::unlock_failed(Thread& thread, const RecordedCall& call) {
  FunctionInfo info = function_infos()[call.slot.function];
  if (info.access != WindowAccess::lock && info.access != WindowAccess::lock_all) return;
  info.access = info.access == WindowAccess::lock ? WindowAccess::unlock : WindowAccess::unlock_all;
  window(thread, call, info, std::move(inside_));
}

// What the call took once it was let into the library.
base::Seconds Decoder::inside(const RecordedCall& answer) const {
  return base::Seconds(without(seconds(stream::duration_of(answer.slot.result)).value(), answer.call_aside));
}

void Decoder::settle(Thread& thread, const RecordedCall& answer) {
  RecordedCall call = std::move(announced_);
  announced_ = {};
  if (inside_.collective != nullptr && inside_.collective->met) {
    inside_.measured = inside(answer);
    push(thread, std::move(inside_));
    inside_ = {};
  }
  if (std::exchange(asks_nobody_, false)) {
    inside_.measured = inside(answer);
    return push(thread, std::move(inside_));
  }
  if (stream::outcome_of(answer.slot.result) == stream::kOutcomeError) return unlock_failed(thread, call);
  call.slot.flags |= answer.slot.flags;
  call.slot.result = answer.slot.result;
  if (answer.slot.handle != 0) call.slot.handle = answer.slot.handle;
  call.slot.result_bytes = answer.slot.result_bytes;
  call.statuses = answer.statuses;
  call.indices = answer.indices;
  const FunctionInfo& info = function_infos()[call.slot.function];
  const bool unmodelled = is_outside(call.slot.comm) || is_with_other_jobs(info.kind);
  if (info.group == FunctionGroup::storage || unmodelled) {
    inside_.measured = inside(answer);
    if (unmodelled) return as_measured(thread, call, info, std::move(inside_));
    return storage(thread, call, info, std::move(inside_));
  }
  if (info.kind == C::win_ctor || info.kind == C::file_coll_ctor) return note_object(call, info);
  if (info.group == FunctionGroup::probe && answer.message) {
    const KnownComm* comm = comms_.find(call.slot.comm);
    const int source = comm == nullptr ? kProcNull : CommTable::to_world(*comm, call.slot.status.source);
    if (source == kProcNull || comms_.is_foreign(call.slot.comm)) return; // it is received as it stands
    messages_[*answer.message] = {source, call.slot.status.tag, bytes_of(call.slot.result_bytes), comm->shared, taken_};
  }
  if (info.group != FunctionGroup::completion || info.kind == C::request_get_status || info.kind == C::cancel) return;
  const bool polls = info.kind == C::test || info.kind == C::testall || info.kind == C::testany || info.kind == C::testsome;
  if (polls && (call.slot.flags & stream::kFlagFound) == 0) return;
  list_done(call, info, {0, call.slot.status.source, call.slot.status.tag, 0, call.slot.result_bytes});
  forgotten_.clear();
  std::vector<std::uint32_t> waited;
  for (const Done& done : done_) take_done(done, false, waited);
  for (const std::uint32_t request : waited) deferred_.erase(request);
}

} // namespace farcast::trace
