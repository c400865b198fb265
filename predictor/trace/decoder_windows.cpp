// Decoder: one-sided communication. An access is a transfer that a synchronisation of its window
// completes.
//
// The target gives no help, as with RDMA: accesses proceed whatever it does. A lock asks its target
// once and never waits for another holder; accesses to one target are not ordered. Post, start,
// complete and wait are messages without bytes: a post to each origin, which its start waits for,
// and a complete to each target, which its wait waits for (as Open MPI 4.1's osc/rdma does).
// MPI_Win_test takes its measured time.
#include "predictor/trace/decoder.h"

#include <algorithm>
#include <utility>

namespace farcast::trace {

namespace {

double bytes_of(std::uint64_t bytes) { return static_cast<double>(bytes); }

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
    if (target == kProcNull) break;
    operation.kind = OperationKind::transfer;
    operation.peer = target;
    operation.bytes = operation.reply_bytes = 0;
    operation.request = requests_.new_id();
    push(thread, Operation(operation));
    operation.kind = OperationKind::wait;
    operation.requests = {operation.request};
    continue_call(operation);
    break;
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
