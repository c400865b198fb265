// Decoder: one-sided communication. An access is a transfer that a synchronisation of its window
// completes.
//
// The target gives no help, as with RDMA: accesses proceed whatever it does, and accesses to one
// target are not ordered. A lock asks its target, and is granted when no other holder is in its way
// (sim/locks.h); a lock of all targets asks the window's first rank, as Open MPI's osc/rdma asks
// the rank that keeps the window's common lock. Unlocking waits for the accesses alone. Post,
// start, complete and wait are messages without bytes: a post to each origin, which its start waits
// for, and a complete to each target, which its wait waits for (as Open MPI 4.1's osc/rdma does).
// MPI_Win_test takes its measured time.
#include "predictor/trace/decoder.h"

#include <algorithm>
#include <utility>

namespace farcast::trace {

namespace {

Lock lock_of(std::int32_t recorded) {
  if (recorded == stream::kLockShared) return Lock::shared;
  return recorded == stream::kLockExclusive ? Lock::exclusive : Lock::none;
}

} // namespace

void Decoder::window(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const auto known = objects_.find(call.slot.handle);
  const KnownComm* comm = known == objects_.end() ? nullptr : comms_.find(known->second.comm);
  const int target = comm == nullptr ? kProcNull : CommTable::to_world(*comm, call.slot.peer);
  switch (info.access) {
  case WindowAccess::put:
  case WindowAccess::get:
  case WindowAccess::exchange:
    access(thread, call, info, std::move(operation));
    return;
  case WindowAccess::lock:
    return lock(thread, call, target, std::move(operation));
  case WindowAccess::lock_all:
    return lock(thread, call, comm == nullptr ? kProcNull : kUnknownPeer, std::move(operation));
  case WindowAccess::unlock:
    if (target != kProcNull) complete_accesses(thread, call.slot.handle, target, operation);
    return unlock(thread, call, target, std::move(operation));
  case WindowAccess::unlock_all:
    complete_accesses(thread, call.slot.handle, kUnknownPeer, operation);
    return unlock(thread, call, kUnknownPeer, std::move(operation));
  case WindowAccess::expose:
  case WindowAccess::begin_epoch:
  case WindowAccess::end_epoch:
  case WindowAccess::await_epochs:
    epoch(thread, call, info, std::move(operation));
    return;
  case WindowAccess::complete:
    if (target != kProcNull) complete_accesses(thread, call.slot.handle, target, operation);
    break;
  case WindowAccess::complete_all:
    complete_accesses(thread, call.slot.handle, kUnknownPeer, operation);
    break;
  case WindowAccess::none:
    break;
  }
  push(thread, std::move(operation));
}

// The operation's transfer asks for this lock, or gives it up.
void Decoder::name_lock(const SharedObject& window, int target, Lock lock, Operation& operation) const {
  operation.kind = OperationKind::transfer;
  operation.lock = lock;
  operation.communicator = comms_.find(window.comm)->shared;
  operation.tag = window.number;
  operation.peer = target == kUnknownPeer ? operation.communicator->members.front() : target;
  operation.bytes = 0;
}

// Of one target, or of all (kUnknownPeer). A record without kinds of locks knows of no holder.
void Decoder::lock(Thread& thread, const RecordedCall& call, int target, Operation&& operation) {
  const bool all = target == kUnknownPeer;
  const bool unknown = call.slot.tag == 0;
  if (target == kProcNull || call.slot.tag == stream::kLockUnchecked || (all && unknown)) {
    asks_nobody_ = operation.asked;
    return push(thread, std::move(operation));
  }
  SharedObject& window = objects_.find(call.slot.handle)->second;
  name_lock(window, target, all ? Lock::all : lock_of(call.slot.tag), operation);
  operation.reply_bytes = 0;
  operation.request = requests_.new_id();
  if (!unknown) window.locks.emplace_back(target, operation.lock);
  Operation wait = operation; // which its program waits for
  operation.asked = false;
  push(thread, std::move(operation));
  wait.kind = OperationKind::wait;
  wait.requests = {wait.request};
  continue_call(wait);
  push(thread, std::move(wait));
}

void Decoder::unlock(Thread& thread, const RecordedCall& call, int target, Operation&& operation) {
  const auto known = objects_.find(call.slot.handle);
  if (known == objects_.end()) return push(thread, std::move(operation));
  SharedObject& window = known->second;
  const auto held = std::find_if(window.locks.begin(), window.locks.end(), [&](const auto& one) { return one.first == target; });
  if (held == window.locks.end()) return push(thread, std::move(operation));
  name_lock(window, target, held->second, operation);
  window.locks.erase(held);
  push(thread, std::move(operation));
}

void Decoder::epoch(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const auto known = objects_.find(call.slot.handle);
  const KnownComm* comm = known == objects_.end() ? nullptr : comms_.find(known->second.comm);
  if (info.access == WindowAccess::end_epoch) complete_accesses(thread, call.slot.handle, kUnknownPeer, operation);
  const bool opens = info.access == WindowAccess::expose || info.access == WindowAccess::begin_epoch;
  if (comm == nullptr || (opens && !call.group)) return push(thread, std::move(operation)); // as measured
  SharedObject& window = known->second;
  operation.communicator = comms_.apart(comm->shared->members);
  operation.tag = kEpochTag - 2 * window.number - (opens ? 0 : 1);
  switch (info.access) {
  case WindowAccess::expose:
    window.origins = *call.group;
    notify(thread, window.origins, std::move(operation));
    break;
  case WindowAccess::begin_epoch:
    window.targets = *call.group;
    await(thread, window.targets, std::move(operation));
    break;
  case WindowAccess::end_epoch:
    notify(thread, std::exchange(window.targets, {}), std::move(operation));
    break;
  default:
    await(thread, std::exchange(window.origins, {}), std::move(operation));
    break;
  }
}

// A message without bytes to each of them.
void Decoder::notify(Thread& thread, const std::vector<int>& ranks, Operation&& operation) {
  if (ranks.empty()) return push(thread, std::move(operation));
  operation.kind = OperationKind::isend;
  for (const int rank : ranks) {
    operation.peer = rank;
    operation.request = requests_.new_id();
    push(thread, Operation(operation));
    continue_call(operation);
  }
}

// Waits for a message of each of them.
void Decoder::await(Thread& thread, const std::vector<int>& ranks, Operation&& operation) {
  if (ranks.empty()) return push(thread, std::move(operation));
  Operation wait = operation; // which its program waits for
  operation.asked = false;
  operation.kind = OperationKind::ireceive;
  for (const int rank : ranks) {
    operation.peer = rank;
    operation.request = requests_.new_id();
    wait.requests.push_back(operation.request);
    push(thread, Operation(operation));
    continue_call(operation);
  }
  continue_call(wait);
  wait.kind = OperationKind::wait;
  push(thread, std::move(wait));
}

void Decoder::access(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const bool own_request = info.kind == FunctionClass::rma_request;
  const std::uint64_t handle = !own_request ? call.slot.handle : call.handles.empty() ? 0 : call.handles.front();
  const auto known = objects_.find(handle);
  const KnownComm* comm = known == objects_.end() ? nullptr : comms_.find(known->second.comm);
  const int target = comm == nullptr ? kProcNull : CommTable::to_world(*comm, call.slot.peer);
  auto request = std::make_unique<Request>();
  if (target != kProcNull) {
    operation.kind = OperationKind::transfer;
    operation.peer = target;
    if (info.access != WindowAccess::get) operation.bytes = bytes_of(call.slot.bytes);
    if (info.access == WindowAccess::get) operation.reply_bytes = bytes_of(call.slot.bytes);
    if (info.access == WindowAccess::exchange)
      operation.reply_bytes = bytes_of(call.slot.result_bytes > 0 ? call.slot.result_bytes : call.slot.bytes);
    operation.request = requests_.new_id();
    known->second.open.emplace_back(target, operation.request);
    request->add_id(operation.request);
    request->active = true;
  }
  if (own_request) requests_.add(call.slot.handle, std::move(request));
  push(thread, std::move(operation));
}

// Pushes the wait for the accesses to `target` (kUnknownPeer: to all) if there are any; `operation`
// goes on after it.
void Decoder::complete_accesses(Thread& thread, std::uint64_t window, int target, Operation& operation) {
  const auto known = objects_.find(window);
  if (known == objects_.end()) return;
  std::vector<std::pair<int, std::uint32_t>>& open = known->second.open;
  Operation wait = operation;
  wait.kind = OperationKind::wait;
  wait.asked = false; // its program waits for what comes behind it
  const auto asked = [target](const auto& access) { return target == kUnknownPeer || access.first == target; };
  for (const auto& one : open) {
    if (asked(one)) wait.requests.push_back(one.second);
  }
  if (wait.requests.empty()) return;
  open.erase(std::remove_if(open.begin(), open.end(), asked), open.end());
  push(thread, std::move(wait));
  continue_call(operation);
}

} // namespace farcast::trace
