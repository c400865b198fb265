// Decoder: persistent requests, and the calls that complete requests.
#include "predictor/trace/decoder.h"

#include <algorithm>

namespace farcast::trace {

namespace {

using C = FunctionClass;

// Members make their persistent collectives in one order (MPI 4.0 section 6.13), and start them in
// any: the n-th start of the m-th belongs to the n-th of the m-th. Numbers of other calls do not
// get this far; these come again when those before are long over.
constexpr std::uint32_t kPersistentCall = 0x80000000;
constexpr std::uint32_t kStartBits = 18;
constexpr std::uint32_t kStarts = std::uint32_t{1} << kStartBits;
constexpr std::uint32_t kMade = (kPersistentCall >> kStartBits) - 1; // not all: kNotCounted is not one of them

bool is_single(C kind) {
  return kind == C::wait || kind == C::test || kind == C::request_free || kind == C::cancel || kind == C::request_get_status;
}

} // namespace

void Decoder::persistent(const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  auto request = std::make_unique<Request>();
  request->persistent = true;
  const KnownComm* comm = comms_.find(call.slot.comm);
  operation.forget_times();
  operation.mode = info.mode;
  operation.bytes = bytes_of(call.slot.bytes);
  operation.tag = call.slot.tag;
  operation.communicator = comm == nullptr ? nullptr : comm->shared;
  operation.peer = comm == nullptr ? kProcNull : CommTable::to_world(*comm, call.slot.peer);
  if (info.kind == C::send_init) {
    operation.kind = OperationKind::isend;
  } else if (info.kind == C::recv_init) {
    operation.kind = OperationKind::ireceive;
    if (coupled_) {
      operation.asked = true;
      operation.peer = asked_peer(call, call.slot.peer);
    } else if (is_wildcard(call.slot.peer, call.slot.tag)) {
      operation.peer = kUnknownPeer;
    }
  } else if (comm != nullptr) {
    operation.kind = OperationKind::icollective;
    operation.collective = describe(call, info, *comm);
    operation.call_number = kPersistentCall | (persistent_collectives_[comm->shared->id]++ % kMade) << kStartBits;
  }
  request->start = std::make_unique<const Operation>(std::move(operation));
  requests_.add(call.slot.handle, std::move(request));
}

void Decoder::start(Thread& thread, const RecordedCall& call, Operation&& operation) {
  std::vector<std::uint64_t> handles = call.handles;
  std::vector<std::uint64_t> renamed = call.restarted;
  if (function_infos()[call.slot.function].kind == C::start) {
    handles = {call.slot.bytes};
    renamed = {call.slot.handle};
  }
  bool first = true;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    Request* const request = requests_.find(handles[i]);
    if (request == nullptr || !request->start) continue;
    if (i < renamed.size() && renamed[i] != 0 && renamed[i] != handles[i]) requests_.rename(handles[i], renamed[i]);
    Operation started = *request->start;
    started.function = operation.function;
    started.site = operation.site;
    started.region = operation.region;
    if (first) {
      started.compute = operation.compute;
      started.measured = operation.measured;
      started.others_s = operation.others_s;
      started.others_in_call_s = operation.others_in_call_s;
    }
    first = false;
    request->id_count = 0;
    request->cancelled = false;
    if (started.kind == OperationKind::icollective) started.call_number += request->starts++ % kStarts;
    if (started.kind == OperationKind::ireceive) {
      const bool wildcard = started.peer == kUnknownPeer;
      post_receive(thread, std::move(started), wildcard, *request);
      if (coupled_) deferred_[request->ids[0]] = i < renamed.size() && renamed[i] != 0 ? renamed[i] : handles[i];
    } else if (started.kind == OperationKind::local) { // a collective on a communicator that nobody described
      push(thread, std::move(started));
    } else {
      started.request = requests_.new_id();
      request->add_id(started.request);
      request->active = true;
      push(thread, std::move(started));
    }
  }
  if (first) push(thread, std::move(operation));
}

void Decoder::resolve(Request& request, int source, int tag) {
  if (request.communicator != nullptr && source >= 0) {
    const std::vector<int>& peers =
        request.communicator->remote.empty() ? request.communicator->members : request.communicator->remote;
    if (static_cast<std::size_t>(source) < peers.size()) {
      request.wildcard->source = peers[static_cast<std::size_t>(source)];
      request.wildcard->tag = tag;
    }
  }
}

void Decoder::finish_request(Request& request, const stream::StatusEntry* status, std::vector<std::uint32_t>& waited,
                             std::vector<std::uint32_t>& forgotten) {
  // Open MPI 4.1 leaves this part of a file request's status as it was.
  const bool cancelled = request.cancelled && status != nullptr && status->cancelled != 0;
  if (request.wildcard != nullptr) {
    if (status != nullptr && !cancelled) resolve(request, status->source, status->tag);
    request.wildcard->resolved = true;
    request.wildcard.reset();
  }
  std::vector<std::uint32_t>& out = cancelled ? forgotten : waited;
  out.insert(out.end(), request.ids.begin(), request.ids.begin() + static_cast<std::ptrdiff_t>(request.id_count));
}

// The handles that the call completed, with their statuses, into done_.
void Decoder::list_done(const RecordedCall& call, const FunctionInfo& info, const stream::StatusEntry& own) {
  done_.clear();
  std::size_t at = 0; // entries are recorded in the order of their requests
  const auto status_of = [&call, &at](std::uint32_t index) -> const stream::StatusEntry* {
    for (std::size_t tried = 0; tried < call.statuses.size(); ++tried) {
      if (at == call.statuses.size()) at = 0;
      if (const stream::StatusEntry& entry = call.statuses[at++]; entry.index == index) return &entry;
    }
    return nullptr;
  };
  const std::uint16_t outcome = stream::outcome_of(call.slot.result);
  if (is_single(info.kind)) {
    if (info.kind != C::request_get_status) done_.push_back({call.slot.bytes, returned(call) ? &own : nullptr});
  } else if (info.kind == C::waitall || info.kind == C::testall) {
    for (std::uint32_t i = 0; i < call.handles.size(); ++i) done_.push_back({call.handles[i], status_of(i)});
  } else if (info.kind == C::waitany || info.kind == C::testany) {
    std::size_t index = outcome;
    if (outcome == stream::kOutcomeLarge && !call.indices.empty()) index = call.indices.front();
    if (returned(call) && outcome != stream::kOutcomeUndefined && index < call.handles.size())
      done_.push_back({call.handles[index], &own});
  } else {
    for (const std::uint32_t index : call.indices) {
      if (index < call.handles.size()) done_.push_back({call.handles[index], status_of(index)});
    }
  }
}

// Takes one of them. What is waited for goes into `waited`, what nobody waits for any more into
// forgotten_.
void Decoder::take_done(const Done& done, bool freed, std::vector<std::uint32_t>& waited) {
  if (!freed) {
    if (const std::uint32_t id = requests_.take_plain(done.handle); id != 0) return waited.push_back(id);
  }
  Request* const request = requests_.find(done.handle);
  if (request == nullptr) return;
  if (freed) {
    if (!request->persistent || request->active)
      forgotten_.insert(forgotten_.end(), request->ids.begin(),
                        request->ids.begin() + static_cast<std::ptrdiff_t>(request->id_count));
    if (request->wildcard != nullptr) request->wildcard->resolved = true;
    requests_.remove(done.handle);
  } else if (!request->persistent || request->active) {
    finish_request(*request, done.status, waited, forgotten_);
    requests_.complete(done.handle);
  }
}

void Decoder::completion(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  const bool polls = info.kind == C::test || info.kind == C::testall || info.kind == C::testany || info.kind == C::testsome ||
                     info.kind == C::request_get_status;
  const bool found = !polls || (call.slot.flags & stream::kFlagFound) != 0;
  if (!found) {
    fruitless(thread, call, std::move(operation));
    return;
  }
  if (info.kind == C::cancel) {
    if (Request* const request = requests_.find(call.slot.bytes)) request->cancelled = true;
    push(thread, std::move(operation));
    return;
  }
  const stream::StatusEntry own{0, call.slot.status.source, call.slot.status.tag,
                                (call.slot.flags & stream::kFlagCancelled) != 0 ? 1u : 0u, call.slot.result_bytes};
  list_done(call, info, own);
  forgotten_.clear();
  operation.requests.reserve(done_.size());
  for (const Done& done : done_) take_done(done, info.kind == C::request_free, operation.requests);
  const bool nothing = polls && info.kind != C::request_get_status && operation.requests.empty() && forgotten_.empty();
  if (nothing && !thread.polls.empty()) { // requests that are null already: the row goes on
    operation.kind = OperationKind::poll;
    operation.polled = true;
    thread.polls.add_call({std::move(operation), preparing_.first, preparing_.second});
    return;
  }
  if (polls && !nothing) end_polls(thread, call, operation);
  if (!forgotten_.empty()) {
    Operation forget = operation;
    forget.kind = OperationKind::forget;
    forget.requests = forgotten_;
    forget.freed = info.kind == C::request_free;
    if (!operation.requests.empty()) operation.forget_times();
    push(thread, std::move(forget));
    if (operation.requests.empty()) return;
  }
  operation.kind = operation.requests.empty() ? (polls ? OperationKind::poll : OperationKind::local) : OperationKind::wait;
  operation.polled = polls;
  push(thread, std::move(operation));
}

} // namespace farcast::trace
