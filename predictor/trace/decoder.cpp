#include "predictor/trace/decoder.h"

#include <algorithm>
#include <limits>

namespace farcast::trace {

namespace {

using C = FunctionClass;

double bytes_of(std::uint64_t bytes) { return static_cast<double>(bytes); }

// A call that the end of a truncated stream left without results took no time.
bool returned(const RecordedCall& call) { return call.slot.result != 0; }

} // namespace

Decoder::Decoder(Recording& recording, RankRecording& rank, SiteTable& sites, CommRegistry& comms)
    : recording_(recording), rank_(rank), sites_(sites), resolver_(sites, rank, recording.mutex),
      comms_(comms, rank.rank, recording.world_size), seconds_per_tick_(1.0 / rank.ticks_per_second) {
  const std::size_t count = rank.multithreaded ? rank.threads.size() : std::min<std::size_t>(1, rank.threads.size());
  threads_.resize(count);
  for (std::size_t i = 0; i < count; ++i) threads_[i].reader = std::make_unique<CallReader>(*rank.threads[i]);
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
  Thread& from = threads_[thread];
  while (from.queue.empty() || !from.queue.front().ready()) {
    if (!advance(thread)) end_of_streams();
    if (from.queue.empty() && from.ended) return false;
  }
  QueuedOperation& front = from.queue.front();
  out = std::move(front.operation);
  if (front.wildcard != nullptr && front.wildcard->source != kUnknownPeer) {
    out.peer = front.wildcard->source;
    out.tag = front.wildcard->tag;
  }
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

// Which thread's call comes next: the one with the lowest ticket; calls before a second thread appeared have none and come first.
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
  translate(thread, thread.head);
  return true;
}

// What is still open now stays open: wildcard receives that nobody completed.
void Decoder::end_of_streams() {
  for (Thread& thread : threads_) {
    thread.ended = true;
    for (QueuedOperation& queued : thread.queue) {
      if (queued.wildcard != nullptr) queued.wildcard->resolved = true;
    }
  }
}

void Decoder::push(Thread& thread, Operation operation, std::shared_ptr<WildcardOutcome> wildcard) {
  thread.queue.push_back({std::move(operation), std::move(wildcard)});
}

// What every operation has: the computation before it, its region and site.
Operation Decoder::prepare(Thread& thread, const RecordedCall& call) {
  if (!call.stack.empty()) resolver_.define_stack(call.slot.site, call.stack);
  Operation operation;
  operation.function = call.slot.function;
  operation.site = resolver_.site(call.slot.site, call.slot.function);
  operation.measured = seconds(stream::duration_of(call.slot.result));
  if (thread.started || (thread.last_exit == 0 && init_exit_ != 0)) {
    const std::uint64_t since = thread.started ? thread.last_exit : init_exit_;
    const std::uint64_t gap = call.slot.t_enter > since ? call.slot.t_enter - since : 0;
    operation.compute = seconds(gap > rank_.overhead_ticks ? gap - rank_.overhead_ticks : 0);
    if (call.region_cpu_ns) operation.compute = base::Seconds(static_cast<double>(*call.region_cpu_ns) * 1e-9);
    thread.started = true;
  }
  operation.region = sites_.region(thread.has_last_site ? thread.last_site : operation.site, operation.site);
  thread.last_site = operation.site;
  thread.has_last_site = true;
  thread.last_exit = call.slot.t_enter + stream::duration_of(call.slot.result);
  return operation;
}

void Decoder::translate(Thread& thread, const RecordedCall& call) {
  comms_.define(call.groups);
  const std::vector<FunctionInfo>& infos = function_infos();
  if (call.slot.function >= infos.size()) return; // corrupt: the tally reports it
  const FunctionInfo& info = infos[call.slot.function];
  Operation operation = prepare(thread, call);
  if (stream::outcome_of(call.slot.result) == stream::kOutcomeError) {
    operation.kind = OperationKind::local;
    push(thread, std::move(operation));
    return;
  }
  switch (info.kind) {
  case C::init:
    operation.kind = OperationKind::init;
    init_exit_ = thread.last_exit;
    thread.started = true;
    push(thread, std::move(operation));
    break;
  case C::finalize:
    operation.kind = OperationKind::finalize;
    push(thread, std::move(operation));
    break;
  case C::send:
  case C::isend:
  case C::recv:
  case C::irecv:
  case C::mrecv:
  case C::imrecv:
  case C::sendrecv:
  case C::isendrecv:
    point_to_point(thread, call, info, std::move(operation));
    break;
  case C::probe:
  case C::mprobe:
  case C::iprobe:
  case C::improbe:
    probe(thread, call, info, std::move(operation));
    break;
  case C::send_init:
  case C::recv_init:
  case C::coll_init:
    persistent(call, info, operation);
    push(thread, std::move(operation));
    break;
  case C::start:
  case C::startall:
    start(thread, call, std::move(operation));
    break;
  case C::wait:
  case C::waitall:
  case C::waitany:
  case C::waitsome:
  case C::test:
  case C::testall:
  case C::testany:
  case C::testsome:
  case C::request_free:
  case C::cancel:
  case C::request_get_status:
    completion(thread, call, info, std::move(operation));
    break;
  case C::coll:
  case C::icoll:
    collective(thread, call, info, std::move(operation));
    break;
  case C::comm_ctor:
  case C::comm_group_ctor:
  case C::intercomm_ctor:
  case C::comm_ictor:
  case C::comm_spawn:
  case C::comm_free:
  case C::win_ctor:
  case C::win_free:
  case C::win_sync_coll:
  case C::file_coll_ctor:
  case C::io_sync:
    agreement(thread, call, info, std::move(operation));
    break;
  case C::rma_request:
  case C::io_request:
  case C::psend_init:
  case C::precv_init:
    object_request(thread, call, std::move(operation));
    break;
  default: // local, and what is not modelled: at its measured time
    push(thread, std::move(operation));
  }
}

void Decoder::set_receive(Operation& operation, const RecordedCall& call, int source, int tag, bool take_status) {
  const KnownComm* comm = comms_.find(call.slot.comm);
  bool unknown = false;
  if (take_status && (source == stream::kAnyPeer || (tag == stream::kAnyTag && source != stream::kNoPeer))) {
    unknown = !returned(call);
    if (source == stream::kAnyPeer) source = call.slot.status.source;
    if (tag == stream::kAnyTag) tag = call.slot.status.tag;
  }
  operation.peer = unknown ? kUnknownPeer : comm == nullptr ? kProcNull : CommTable::to_world(*comm, source);
  operation.tag = tag;
  operation.communicator = comm == nullptr ? nullptr : comm->shared;
}

void Decoder::post_receive(Thread& thread, Operation operation, bool wildcard, Request& request) {
  operation.kind = OperationKind::ireceive;
  operation.request = requests_.new_id();
  request.add_id(operation.request);
  request.active = true;
  if (!wildcard) {
    push(thread, std::move(operation));
    return;
  }
  operation.peer = kUnknownPeer;
  request.wildcard = std::make_shared<WildcardOutcome>();
  request.communicator = operation.communicator;
  push(thread, std::move(operation), request.wildcard);
}

void Decoder::point_to_point(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation operation) {
  const KnownComm* comm = comms_.find(call.slot.comm);
  operation.mode = info.mode;
  operation.bytes = bytes_of(call.slot.bytes);
  if (info.kind == C::mrecv || info.kind == C::imrecv) {
    const auto message = messages_.find(call.slot.bytes);
    if (message == messages_.end()) { // MPI_MESSAGE_NO_PROC
      operation.kind = OperationKind::local;
      if (info.kind == C::imrecv) requests_.add(call.slot.handle, std::make_shared<Request>());
      push(thread, std::move(operation));
      return;
    }
    operation.peer = message->second.source;
    operation.tag = message->second.tag;
    operation.bytes = message->second.bytes;
    operation.communicator = message->second.communicator;
    messages_.erase(message);
    if (info.kind == C::mrecv) {
      operation.kind = OperationKind::receive;
      push(thread, std::move(operation));
      return;
    }
    auto request = std::make_shared<Request>();
    post_receive(thread, std::move(operation), false, *request);
    requests_.add(call.slot.handle, std::move(request));
    return;
  }
  operation.communicator = comm == nullptr ? nullptr : comm->shared;
  const int peer = comm == nullptr ? kProcNull : CommTable::to_world(*comm, call.slot.peer);
  operation.tag = call.slot.tag;
  if (info.kind == C::send) {
    operation.kind = OperationKind::send;
    operation.peer = peer;
    push(thread, std::move(operation));
  } else if (info.kind == C::recv) {
    operation.kind = OperationKind::receive;
    set_receive(operation, call, call.slot.peer, call.slot.tag, true);
    push(thread, std::move(operation));
  } else if (info.kind == C::isend) {
    operation.kind = OperationKind::isend;
    operation.peer = peer;
    operation.request = requests_.new_id();
    auto request = std::make_shared<Request>();
    request->add_id(operation.request);
    request->active = true;
    push(thread, std::move(operation));
    requests_.add(call.slot.handle, std::move(request));
  } else if (info.kind == C::irecv) {
    auto request = std::make_shared<Request>();
    const bool wildcard =
        call.slot.peer == stream::kAnyPeer || (call.slot.tag == stream::kAnyTag && call.slot.peer != stream::kNoPeer);
    operation.peer = peer;
    post_receive(thread, std::move(operation), wildcard, *request);
    requests_.add(call.slot.handle, std::move(request));
  } else if (call.receive_half) {
    const stream::ReceiveHalf& half = *call.receive_half;
    if (info.kind == C::sendrecv) {
      operation.kind = OperationKind::send_receive;
      Operation receive;
      set_receive(receive, call, half.source, half.tag, true);
      operation.peer = peer;
      operation.receive_peer = receive.peer;
      operation.receive_tag = receive.tag;
      push(thread, std::move(operation));
      return;
    }
    auto request = std::make_shared<Request>();
    Operation receive = operation;
    receive.compute = receive.measured = base::Seconds(0.0);
    operation.kind = OperationKind::isend;
    operation.peer = peer;
    operation.request = requests_.new_id();
    request->add_id(operation.request);
    push(thread, std::move(operation));
    receive.peer = comm == nullptr ? kProcNull : CommTable::to_world(*comm, half.source);
    receive.tag = half.tag;
    receive.bytes = bytes_of(half.bytes);
    const bool wildcard = half.source == stream::kAnyPeer || (half.tag == stream::kAnyTag && half.source != stream::kNoPeer);
    post_receive(thread, std::move(receive), wildcard, *request);
    requests_.add(call.slot.handle, std::move(request));
  }
}

// The fruitless polls of a row: no time of their own, only the computation between them counts. `operation` keeps what came after
// the first. Returns: true when nothing was found in the end either.
bool Decoder::fruitless(Thread& thread, const RecordedCall& call, bool found, Operation& operation) {
  if (!call.fold && found) return false;
  operation.kind = OperationKind::poll;
  operation.measured = base::Seconds(0.0);
  push(thread, operation);
  if (!call.fold) return true;
  const std::uint64_t cost = (call.fold->calls - 1) * rank_.overhead_ticks;
  operation.compute = seconds(call.fold->compute_ticks > cost ? call.fold->compute_ticks - cost : 0);
  if (!found) push(thread, operation);
  return !found;
}

void Decoder::probe(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation operation) {
  const bool polls = info.kind == C::iprobe || info.kind == C::improbe;
  const bool found = !polls || (call.slot.flags & stream::kFlagFound) != 0;
  if (polls && fruitless(thread, call, found, operation)) return;
  operation.kind = OperationKind::probe;
  operation.polled = polls;
  set_receive(operation, call, call.slot.peer, call.slot.tag, true);
  if (call.message) {
    messages_[*call.message] = {operation.peer, operation.tag, bytes_of(call.slot.result_bytes), operation.communicator};
    if (operation.peer == kProcNull) messages_.erase(*call.message);
  }
  push(thread, std::move(operation));
}

void Decoder::persistent(const RecordedCall& call, const FunctionInfo& info, Operation operation) {
  auto request = std::make_shared<Request>();
  request->persistent = true;
  const KnownComm* comm = comms_.find(call.slot.comm);
  operation.compute = operation.measured = base::Seconds(0.0);
  operation.mode = info.mode;
  operation.bytes = bytes_of(call.slot.bytes);
  operation.tag = call.slot.tag;
  operation.communicator = comm == nullptr ? nullptr : comm->shared;
  operation.peer = comm == nullptr ? kProcNull : CommTable::to_world(*comm, call.slot.peer);
  if (info.kind == C::send_init) {
    operation.kind = OperationKind::isend;
  } else if (info.kind == C::recv_init) {
    operation.kind = OperationKind::ireceive;
    if (call.slot.peer == stream::kAnyPeer || (call.slot.tag == stream::kAnyTag && call.slot.peer != stream::kNoPeer)) {
      operation.peer = kUnknownPeer;
    }
  } else if (comm != nullptr) {
    operation.kind = OperationKind::icollective;
    operation.collective = describe(call, info, *comm);
  }
  request->start = std::make_unique<const Operation>(std::move(operation));
  requests_.add(call.slot.handle, std::move(request));
}

void Decoder::start(Thread& thread, const RecordedCall& call, Operation operation) {
  std::vector<std::uint64_t> handles = call.handles;
  if (function_infos()[call.slot.function].kind == C::start) handles = {call.slot.bytes};
  bool first = true;
  for (const std::uint64_t handle : handles) {
    const std::shared_ptr<Request> request = requests_.find(handle);
    if (request == nullptr || !request->start) continue;
    Operation started = *request->start;
    started.function = operation.function;
    started.site = operation.site;
    started.region = operation.region;
    if (first) {
      started.compute = operation.compute;
      started.measured = operation.measured;
    }
    first = false;
    request->id_count = 0;
    request->cancelled = false;
    if (started.kind == OperationKind::ireceive) {
      const bool wildcard = started.peer == kUnknownPeer;
      post_receive(thread, std::move(started), wildcard, *request);
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
  const bool cancelled = status != nullptr && status->cancelled != 0;
  if (request.wildcard != nullptr) {
    if (status != nullptr && !cancelled) resolve(request, status->source, status->tag);
    request.wildcard->resolved = true;
    request.wildcard.reset();
  }
  std::vector<std::uint32_t>& out = cancelled ? forgotten : waited;
  out.insert(out.end(), request.ids.begin(), request.ids.begin() + static_cast<std::ptrdiff_t>(request.id_count));
}

void Decoder::completion(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation operation) {
  const std::uint16_t outcome = stream::outcome_of(call.slot.result);
  const bool single = info.kind == C::wait || info.kind == C::test || info.kind == C::request_free || info.kind == C::cancel ||
                      info.kind == C::request_get_status;
  const bool polls = info.kind == C::test || info.kind == C::testall || info.kind == C::testany || info.kind == C::testsome ||
                     info.kind == C::request_get_status;
  const bool found = !polls || (call.slot.flags & stream::kFlagFound) != 0;
  if (polls && fruitless(thread, call, found, operation)) return;
  if (info.kind == C::cancel) {
    if (const auto request = requests_.find(call.slot.bytes)) request->cancelled = true;
    push(thread, std::move(operation));
    return;
  }
  // The handles that completed, with their statuses.
  std::vector<std::pair<std::uint64_t, const stream::StatusEntry*>> done;
  stream::StatusEntry own{0, call.slot.status.source, call.slot.status.tag,
                          (call.slot.flags & stream::kFlagCancelled) != 0 ? 1u : 0u, call.slot.result_bytes};
  const auto status_of = [&](std::uint32_t index) -> const stream::StatusEntry* {
    for (const stream::StatusEntry& entry : call.statuses) {
      if (entry.index == index) return &entry;
    }
    return nullptr;
  };
  if (single) {
    if (info.kind != C::request_get_status && found) done.emplace_back(call.slot.bytes, returned(call) ? &own : nullptr);
  } else if (info.kind == C::waitall || info.kind == C::testall) {
    for (std::uint32_t i = 0; i < call.handles.size(); ++i) done.emplace_back(call.handles[i], status_of(i));
  } else if (info.kind == C::waitany || info.kind == C::testany) {
    std::size_t index = outcome;
    if (outcome == stream::kOutcomeLarge && !call.indices.empty()) index = call.indices.front();
    if (returned(call) && outcome != stream::kOutcomeUndefined && index < call.handles.size()) {
      done.emplace_back(call.handles[index], &own);
    }
  } else {
    for (const std::uint32_t index : call.indices) {
      if (index < call.handles.size()) done.emplace_back(call.handles[index], status_of(index));
    }
  }
  std::vector<std::uint32_t> forgotten;
  for (const auto& [handle, status] : done) {
    if (info.kind == C::request_free) {
      if (const auto request = requests_.find(handle)) {
        if (!request->persistent || request->active)
          forgotten.insert(forgotten.end(), request->ids.begin(),
                           request->ids.begin() + static_cast<std::ptrdiff_t>(request->id_count));
        if (request->wildcard != nullptr) request->wildcard->resolved = true;
        requests_.remove(handle);
      }
      continue;
    }
    const std::shared_ptr<Request> live = requests_.find(handle);
    if (live != nullptr && live->persistent && !live->active) continue;
    if (const auto request = requests_.complete(handle)) finish_request(*request, status, operation.requests, forgotten);
  }
  if (!forgotten.empty()) {
    Operation forget = operation;
    forget.kind = OperationKind::forget;
    forget.requests = forgotten;
    if (!operation.requests.empty()) operation.compute = operation.measured = base::Seconds(0.0);
    push(thread, std::move(forget));
    if (operation.requests.empty()) return;
  }
  operation.kind = operation.requests.empty() ? (polls ? OperationKind::poll : OperationKind::local) : OperationKind::wait;
  if (operation.kind == OperationKind::poll) operation.measured = base::Seconds(0.0);
  operation.polled = polls;
  push(thread, std::move(operation));
}

std::shared_ptr<const Collective> Decoder::describe(const RecordedCall& call, const FunctionInfo& info,
                                                    const KnownComm& comm) const {
  auto out = std::make_shared<Collective>();
  out->kind = info.collective;
  out->root = call.slot.peer == stream::kRootPeer ? kInterRoot : call.slot.peer == stream::kNoPeer ? kProcNull : call.slot.peer;
  out->send_bytes = bytes_of(call.slot.bytes);
  out->receive_bytes = bytes_of(call.slot.result_bytes);
  out->commutative = (call.slot.flags & stream::kFlagCommutative) != 0;
  if (call.has_send_counts) out->send_counts = std::make_shared<const std::vector<double>>(call.send_counts);
  if (call.has_receive_counts) out->receive_counts = std::make_shared<const std::vector<double>>(call.receive_counts);
  if ((call.slot.flags & stream::kFlagInPlace) != 0 && call.has_receive_counts && !call.has_send_counts) {
    const auto own = static_cast<std::size_t>(std::max(comm.own_rank, 0));
    if (info.collective == CollectiveKind::allgatherv && own < call.receive_counts.size())
      out->send_bytes = call.receive_counts[own];
    if (info.collective == CollectiveKind::alltoallv || info.collective == CollectiveKind::alltoallw)
      out->send_counts = out->receive_counts;
  }
  switch (info.collective) {
  case CollectiveKind::neighbor_allgather:
  case CollectiveKind::neighbor_allgatherv:
  case CollectiveKind::neighbor_alltoall:
  case CollectiveKind::neighbor_alltoallv:
  case CollectiveKind::neighbor_alltoallw: {
    static const auto none = std::make_shared<const std::vector<int>>();
    out->root = 0;
    out->sources = comm.sources == nullptr ? none : comm.sources;
    out->destinations = comm.destinations == nullptr ? none : comm.destinations;
    break;
  }
  default:
    break;
  }
  return out;
}

void Decoder::collective(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation operation) {
  const KnownComm* comm = comms_.find(call.slot.comm);
  const bool non_blocking = info.kind == C::icoll;
  if (comm == nullptr) {
    push(thread, std::move(operation));
    return;
  }
  operation.kind = non_blocking ? OperationKind::icollective : OperationKind::collective;
  operation.communicator = comm->shared;
  operation.bytes = bytes_of(call.slot.bytes);
  operation.collective = describe(call, info, *comm);
  if (non_blocking) {
    operation.request = requests_.new_id();
    auto request = std::make_shared<Request>();
    request->add_id(operation.request);
    request->active = true;
    requests_.add(call.slot.handle, std::move(request));
  }
  push(thread, std::move(operation));
}

// Constructors and destructors of communicators, windows and files, and their collective synchronisations.
void Decoder::agreement(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation operation) {
  std::uint32_t local = call.slot.comm;
  const std::uint64_t object = call.slot.handle;
  switch (info.kind) {
  case C::comm_group_ctor: // collective over the group only: over the new communicator
    local = static_cast<std::uint32_t>(object);
    break;
  case C::win_ctor:
    object_comm_[object] = local;
    break;
  case C::file_coll_ctor:
    if (local != stream::kNoComm) object_comm_[object] = local;
    [[fallthrough]];
  case C::win_free:
  case C::win_sync_coll:
  case C::io_sync:
    if (const auto known = object_comm_.find(object); known != object_comm_.end()) local = known->second;
    break;
  default:
    break;
  }
  const KnownComm* comm = comms_.find(local);
  if (comm == nullptr) {
    push(thread, std::move(operation));
    return;
  }
  auto described = std::make_shared<Collective>();
  described->kind = CollectiveKind::synchronize;
  described->send_bytes = described->receive_bytes = 8;
  operation.communicator = comm->shared;
  operation.collective = std::move(described);
  operation.kind = OperationKind::collective;
  if (info.kind == C::comm_ictor) {
    operation.kind = OperationKind::icollective;
    operation.request = requests_.new_id();
    auto request = std::make_shared<Request>();
    request->add_id(operation.request);
    request->active = true;
    requests_.add(object, std::move(request));
  }
  push(thread, std::move(operation));
}

// Requests of calls that are not modelled: waiting for them takes no time.
void Decoder::object_request(Thread& thread, const RecordedCall& call, Operation operation) {
  auto request = std::make_shared<Request>();
  const C kind = function_infos()[call.slot.function].kind;
  request->persistent = kind == C::psend_init || kind == C::precv_init;
  requests_.add(call.slot.handle, std::move(request));
  push(thread, std::move(operation));
}

} // namespace farcast::trace
