// Decoder: one-sided communication. An access is a transfer that a synchronisation of its window completes.
//
// The target gives no help, as with RDMA: accesses proceed whatever it does. A lock asks its target once and never waits for
// another holder; accesses to one target are not ordered. Post, start, complete and wait name groups that the record does not
// have: they take their measured time, and complete waits for the accesses.
#include "predictor/trace/decoder.h"

#include <algorithm>

namespace farcast::trace {

namespace {

double bytes_of(std::uint64_t bytes) { return static_cast<double>(bytes); }

// What is left of a call whose first half has been pushed: it was counted, and so was what came before it.
void continue_call(Operation& operation) {
  operation.compute = operation.measured = base::Seconds(0.0);
  operation.times = 0;
}

} // namespace

void Decoder::window(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation operation) {
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
    push(thread, operation);
    operation.kind = OperationKind::wait;
    operation.requests = {operation.request};
    continue_call(operation);
    break;
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

void Decoder::access(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation operation) {
  const bool own_request = info.kind == FunctionClass::rma_request;
  const std::uint64_t handle = !own_request ? call.slot.handle : call.handles.empty() ? 0 : call.handles.front();
  const auto known = objects_.find(handle);
  const KnownComm* comm = known == objects_.end() ? nullptr : comms_.find(known->second.comm);
  const int target = comm == nullptr ? kProcNull : CommTable::to_world(*comm, call.slot.peer);
  auto request = std::make_shared<Request>();
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

// Pushes the wait for the accesses to `target` (kUnknownPeer: to all) if there are any; `operation` goes on after it.
void Decoder::complete_accesses(Thread& thread, std::uint64_t window, int target, Operation& operation) {
  const auto known = objects_.find(window);
  if (known == objects_.end()) return;
  std::vector<std::pair<int, std::uint32_t>>& open = known->second.open;
  Operation wait = operation;
  wait.kind = OperationKind::wait;
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
