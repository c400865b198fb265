// Decoder: point-to-point messages and probes.
#include "predictor/trace/decoder.h"

#include <algorithm>

namespace farcast::trace {

namespace {

using C = FunctionClass;

} // namespace

void Decoder::set_peer(Operation& operation, const RecordedCall& call, int source, int tag, bool take_status) {
  const KnownComm* comm = comms_.find(call.slot.comm);
  bool unknown = false;
  if (take_status && is_wildcard(source, tag)) {
    unknown = !returned(call);
    if (source == stream::kAnyPeer) source = call.slot.status.source;
    if (tag == stream::kAnyTag) tag = call.slot.status.tag;
  }
  operation.peer = unknown ? kUnknownPeer : comm == nullptr ? kProcNull : CommTable::to_world(*comm, source);
  operation.tag = tag;
  operation.communicator = comm == nullptr ? nullptr : comm->shared;
}

void Decoder::post_receive(Thread& thread, Operation&& operation, bool wildcard, Request& request) {
  operation.kind = OperationKind::ireceive;
  operation.request = requests_.new_id();
  request.add_id(operation.request);
  request.active = true;
  if (!wildcard || coupled_) {
    push(thread, std::move(operation));
    return;
  }
  operation.peer = kUnknownPeer;
  request.wildcard = std::make_shared<WildcardOutcome>();
  request.communicator = operation.communicator;
  push(thread, std::move(operation), request.wildcard);
}

// A message that a probe has matched: its source and tag are known.
void Decoder::matched_receive(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const auto matched = messages_.find(call.slot.bytes);
  if (matched == messages_.end()) { // MPI_MESSAGE_NO_PROC
    operation.kind = OperationKind::local;
    if (info.kind == C::imrecv) requests_.add(call.slot.handle, std::make_unique<Request>());
    push(thread, std::move(operation));
    return;
  }
  operation.peer = matched->second.source;
  operation.tag = matched->second.tag;
  operation.bytes = matched->second.bytes;
  operation.communicator = matched->second.communicator;
  operation.message = matched->second.number;
  messages_.erase(matched);
  if (info.kind == C::mrecv) {
    operation.kind = OperationKind::receive;
    push(thread, std::move(operation));
    return;
  }
  auto request = std::make_unique<Request>();
  post_receive(thread, std::move(operation), false, *request);
  requests_.add(call.slot.handle, std::move(request));
}

void Decoder::post_send(Thread& thread, Operation&& operation, Request& request) {
  operation.kind = OperationKind::isend;
  operation.request = requests_.new_id();
  request.add_id(operation.request);
  request.active = true;
  push(thread, std::move(operation));
}

// Sendrecv and Isendrecv. `operation` is the send's half.
void Decoder::exchange(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const stream::ReceiveHalf& half = *call.receive_half;
  if (info.kind == C::sendrecv) {
    operation.kind = OperationKind::send_receive;
    Operation receive;
    set_peer(receive, call, half.source, half.tag, true);
    operation.receive_peer = receive.peer;
    operation.receive_tag = receive.tag;
    operation.reply_bytes = bytes_of(half.bytes);
    push(thread, std::move(operation));
    return;
  }
  auto request = std::make_unique<Request>();
  Operation receive = operation;
  receive.forget_times();
  post_send(thread, std::move(operation), *request);
  set_peer(receive, call, half.source, half.tag, false);
  receive.bytes = bytes_of(half.bytes);
  if (coupled_ && (call.slot.flags & stream::kFlagDeferred) != 0) {
    receive.asked = true;
    receive.peer = asked_peer(call, half.source);
  }
  const bool deferred = receive.asked;
  post_receive(thread, std::move(receive), is_wildcard(half.source, half.tag), *request);
  if (deferred) deferred_[request->ids[1]] = call.slot.handle;
  requests_.add(call.slot.handle, std::move(request));
}

// Isend and Irecv.
void Decoder::begin_message(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const bool receives = info.kind == C::irecv;
  if (receives && !coupled_ && is_wildcard(call.slot.peer, call.slot.tag)) {
    auto request = std::make_unique<Request>();
    post_receive(thread, std::move(operation), true, *request);
    requests_.add(call.slot.handle, std::move(request));
    return;
  }
  const std::uint32_t id = operation.request = requests_.new_id();
  operation.kind = receives ? OperationKind::ireceive : OperationKind::isend;
  if (receives && coupled_ && (call.slot.flags & stream::kFlagDeferred) != 0) {
    operation.asked = true;
    operation.peer = asked_peer(call, call.slot.peer);
    deferred_[id] = call.slot.handle;
  }
  push(thread, std::move(operation));
  requests_.add(call.slot.handle, id);
}

void Decoder::message(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  if (info.kind == C::mrecv || info.kind == C::imrecv) {
    matched_receive(thread, call, info, std::move(operation));
    return;
  }
  operation.mode = info.mode;
  operation.bytes = bytes_of(call.slot.bytes);
  set_peer(operation, call, call.slot.peer, call.slot.tag, info.kind == C::recv);
  if (info.kind == C::send || info.kind == C::recv) {
    operation.kind = info.kind == C::send ? OperationKind::send : OperationKind::receive;
    push(thread, std::move(operation));
  } else if (info.kind == C::isend || info.kind == C::irecv) {
    begin_message(thread, call, info, std::move(operation));
  } else if (call.receive_half) {
    exchange(thread, call, info, std::move(operation));
  }
}

// A fruitless poll, or a row of equal ones.
void Decoder::fruitless(Thread& thread, const RecordedCall& call, Operation&& operation) {
  const C kind = function_infos()[call.slot.function].kind;
  operation.kind = OperationKind::poll;
  operation.polled = true;
  operation.probes = kind == C::iprobe || kind == C::improbe;
  if ((call.slot.flags & stream::kFlagRow) != 0) {
    const std::uint64_t ticks = stream::duration_of(call.slot.result);
    const std::uint64_t compute = call.fold ? std::min(call.fold->compute_ticks, ticks) : 0;
    const std::uint64_t calls = call.fold ? call.fold->calls : 1;
    operation.compute = seconds(beyond(compute, calls * rank_.overhead_ticks));
    operation.measured = seconds(beyond(ticks - compute, calls * rank_.in_call_ticks));
    preparing_ = {call.slot.t_enter, call.slot.t_enter + ticks};
    operation.times = call.fold ? call.fold->calls : 1;
  }
  if (thread.polls.full()) queue_polls(thread);
  thread.polls.add_poll(call, {std::move(operation), preparing_.first, preparing_.second});
}

// A poll has found something: where those before it waited for that, it waits for all of them.
void Decoder::end_polls(Thread& thread, const RecordedCall& call, Operation& operation) {
  if (thread.polls.end(call, operation.site, operation.compute)) {
    operation.compute = base::Seconds(0.0);
    preparing_ = {0, 0};
  } else {
    operation.between_looks = thread.polls.between_looks(operation.site);
  }
  operation.measured = thread.polls.of_one(operation.measured);
}

void Decoder::queue_polls(Thread& thread) {
  std::uint64_t last = 0; // ends do not go back
  for (PollRow::Held& held : thread.polls.take()) {
    if (held.to > held.from) last = held.to = std::max(held.to, last);
    thread.queue.push_back({std::move(held.operation), nullptr, held.from, held.to});
  }
}

void Decoder::probe(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const bool polls = info.kind == C::iprobe || info.kind == C::improbe;
  const bool found = !polls || (call.slot.flags & stream::kFlagFound) != 0;
  if (!found) {
    fruitless(thread, call, std::move(operation));
    return;
  }
  operation.kind = OperationKind::probe;
  operation.polled = polls;
  if (polls) end_polls(thread, call, operation);
  set_peer(operation, call, call.slot.peer, call.slot.tag, true);
  if (call.message) {
    operation.message = requests_.new_id();
    messages_[*call.message] = {operation.peer, operation.tag, bytes_of(call.slot.result_bytes), operation.communicator,
                                operation.message};
    if (operation.peer == kProcNull) messages_.erase(*call.message);
  }
  push(thread, std::move(operation));
}

} // namespace farcast::trace
