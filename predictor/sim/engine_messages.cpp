// Point to point: posting, meeting, arriving, completing.
#include "predictor/sim/engine.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace farcast::sim {

using trace::OperationKind;
using trace::SendMode;

namespace {

constexpr std::uint32_t kNoCommunicator = UINT32_MAX >> 1;

double sane_bytes(double bytes) { return std::isfinite(bytes) && bytes > 0 ? bytes : 0; }

} // namespace

bool Engine::is_detached(const trace::Operation& operation) const {
  if (operation.mode == SendMode::synchronous) return false;
  return operation.mode != SendMode::standard || goes_at_once(operation.bytes);
}

MatchKey Engine::user_key(const trace::Operation& operation, std::uint32_t destination, std::uint32_t source, int tag) const {
  const std::uint32_t id = operation.communicator ? operation.communicator->id : kNoCommunicator;
  return MatchKey{destination, source, id << 1, static_cast<std::uint32_t>(tag)};
}

// Returns: whether there is such a rank; says so when there should be.
bool Engine::valid_peer(const Strand& strand, int peer, PeerRole role) {
  if (peer >= 0 && peer < timelines_.ranks()) return true;
  if (peer == trace::kProcNull) return false;
  say_of(strand, {.kind = ProblemKind::no_such_rank, .role = role, .peer = peer, .ranks = timelines_.ranks()});
  return false;
}

// Returns: what the call costs its process. `whole`: it hands over the message itself.
double Engine::send_call_s(bool immediate, bool whole, double bytes) const {
  if (immediate) return platform::overhead_at(platform_.p2p.isend_overhead, bytes).value();
  if (whole) return platform::overhead_at(platform_.p2p.send_overhead, bytes).value();
  return channels_ ? network::least_overhead_s(platform_.p2p.send_overhead) : 0.0; // asks
}

void Engine::enter_send(std::uint32_t index) {
  Strand& strand = strands_[index];
  const trace::Operation& operation = strand.operation;
  if (!valid_peer(strand, operation.peer, PeerRole::destination)) return;
  const bool whole = operation.mode == SendMode::synchronous || is_detached(operation);
  strand.stage = Stage::post;
  if (sends_to_itself(strand)) return;
  const double overhead = send_call_s(operation.kind == OperationKind::isend, whole, sane_bytes(operation.bytes));
  advance(index, time_of_call(strand.rank, overhead), CoreState::polling);
}

// The overhead is paid: posts the send of a send, isend or send_receive, and the receive of the last.
void Engine::post_own_send(std::uint32_t index) {
  Strand& strand = strands_[index];
  const trace::Operation& operation = strand.operation;
  strand.stage = Stage::leave;
  strand.posted = strand.ready = now_;
  if (operation.kind == OperationKind::transfer) return post_transfer(index);
  const bool both = operation.kind == OperationKind::send_receive;
  std::uint32_t sent = kNone; // both are waited for once both are posted: a copy is complete by then
  std::uint32_t received = kNone;
  if (!both || valid_peer(strand, operation.peer, PeerRole::destination)) {
    const auto destination = static_cast<std::uint32_t>(operation.peer);
    const bool detached = is_detached(operation);
    const MatchKey key = user_key(operation, destination, strand.rank, operation.tag);
    const bool synchronous = operation.mode == SendMode::synchronous;
    strand.sent = key;
    const std::uint32_t request = post_send(key, sane_bytes(operation.bytes), detached, synchronous);
    if (!detached && operation.kind == OperationKind::isend) name_request(strand.rank, operation.request, request);
    if (!detached && operation.kind != OperationKind::isend) sent = request;
  }
  if (both && operation.receive_peer == trace::kUnknownPeer) {
    ++strand.outstanding; // never completes
  } else if (both && valid_peer(strand, operation.receive_peer, PeerRole::source)) {
    const auto source = static_cast<std::uint32_t>(operation.receive_peer);
    received = post_receive(user_key(operation, strand.rank, source, operation.receive_tag));
  }
  for (const std::uint32_t request : {sent, received}) {
    if (request != kNone) wait_for(index, request);
  }
  begin_wait(index);
}

void Engine::enter_receive(std::uint32_t index) {
  Strand& strand = strands_[index];
  const trace::Operation& operation = strand.operation;
  std::uint32_t request = kNone;
  if (operation.peer == trace::kUnknownPeer) { // posted where no send can meet it
    request = requests_.take();
    requests_[request].kind = Request::Kind::receive;
    requests_[request].hopeless = true;
  } else if (valid_peer(strand, operation.peer, PeerRole::source)) {
    const auto source = static_cast<std::uint32_t>(operation.peer);
    request = post_receive(user_key(operation, strand.rank, source, operation.tag));
  } else {
    return;
  }
  if (operation.kind == OperationKind::ireceive) return name_request(strand.rank, operation.request, request);
  wait_for(index, request);
  begin_wait(index);
}

void Engine::enter_send_receive(std::uint32_t index) {
  Strand& strand = strands_[index];
  const trace::Operation& operation = strand.operation;
  const int self = static_cast<int>(strand.rank);
  const bool copy = sends_to_itself(strand);
  if (operation.peer == self && operation.receive_peer == self && !copy) return; // SimGrid: a plain copy, which takes no time
  strand.stage = Stage::post;
  if (operation.peer == trace::kProcNull || copy) return;
  const base::Seconds overhead = platform::overhead_at(platform_.p2p.isend_overhead, sane_bytes(operation.bytes));
  advance(index, time_of_call(strand.rank, overhead.value()), CoreState::polling);
}

void Engine::enter_transfer(std::uint32_t index) {
  Strand& strand = strands_[index];
  if (!valid_peer(strand, strand.operation.peer, PeerRole::target)) return;
  strand.stage = Stage::post;
  if (sends_to_itself(strand)) return;
  const base::Seconds overhead = platform::overhead_at(platform_.p2p.isend_overhead, sane_bytes(strand.operation.bytes));
  advance(index, time_of_call(strand.rank, overhead.value()), CoreState::polling);
}

void Engine::post_transfer(std::uint32_t index) {
  const Strand& strand = strands_[index];
  const trace::Operation& operation = strand.operation;
  const auto target = static_cast<std::uint32_t>(operation.peer);
  const std::uint32_t request_index = requests_.take();
  Request& request = requests_[request_index];
  request.kind = Request::Kind::transfer;
  request.key = user_key(operation, target, strand.rank, 0);
  request.bytes = sane_bytes(operation.bytes);
  request.reply = operation.reply_bytes < 0 ? -1 : sane_bytes(operation.reply_bytes);
  request.ready = now_;
  one_sided_ = true;
  account_.message(strand.rank, request.bytes);
  if (request.reply >= 0) account_.message(target, request.reply);
  name_request(strand.rank, operation.request, request_index);
  if (!is_copy(strand.rank, target)) return start_flow(request_index);
  request.overhead = copy_s(request.bytes + std::max(0.0, request.reply));
  ++messages_;
  complete(request_index);
}

// Returns: what a message of a rank to itself takes.
double Engine::copy_s(double bytes) {
  self_assumed_ = self_assumed_ || platform_.p2p.self_message.empty();
  return platform::self_message_at(platform_.p2p, bytes).value();
}

void Engine::enter_storage(std::uint32_t index) {
  const Strand& strand = strands_[index];
  const trace::Operation& operation = strand.operation;
  const platform::HostId host = placement_.host_of[strand.rank];
  if (!platform_.storage_of(host)) {
    files_as_measured_ = true;
    return enter_local(index);
  }
  const std::uint32_t request = requests_.take();
  requests_[request].kind = Request::Kind::storage;
  requests_[request].ready = now_;
  const bool reads = operation.reply_bytes >= 0;
  network_.start_access(host, reads ? network::FlowNetwork::Access::read : network::FlowNetwork::Access::write,
                        sane_bytes(reads ? operation.reply_bytes : operation.bytes), request, now_);
  if (operation.kind == OperationKind::istorage) return name_request(strand.rank, operation.request, request);
  wait_for(index, request);
  if (strand.main) cores_.set(strand.rank, CoreState::idle, now_); // the kernel's wait, not the library's polling
}

void Engine::enter_probe(std::uint32_t index) {
  Strand& strand = strands_[index];
  const trace::Operation& operation = strand.operation;
  if (operation.polled) strand.busy_until = now_ + begin_poll(index, platform_.p2p.iprobe_cost);
  if (operation.peer == trace::kUnknownPeer) {
    strand.outstanding = 1;
    begin_wait(index);
    return;
  }
  if (!valid_peer(strand, operation.peer, PeerRole::source)) return begin_wait(index);
  const MatchKey key = user_key(operation, strand.rank, static_cast<std::uint32_t>(operation.peer), operation.tag);
  if (!matching_.has_send(requests_, key)) {
    probing_.emplace(key).first->push_back(index);
    strand.outstanding = 1;
  }
  begin_wait(index);
}

void Engine::name_request(std::uint32_t rank, std::uint32_t id, std::uint32_t request) {
  const auto [slot, made] = named_.emplace(static_cast<std::uint64_t>(rank) << 32 | id);
  if (!made) { // started again without anyone having waited: the old one completes alone
    Request& old = requests_[*slot];
    if (old.done)
      requests_.release(*slot);
    else
      old.forgotten = true;
  }
  *slot = request;
}

void Engine::enter_wait(std::uint32_t index) {
  Strand& strand = strands_[index];
  const std::uint64_t rank = static_cast<std::uint64_t>(strand.rank) << 32;
  if (strand.operation.polled) strand.busy_until = now_ + begin_poll(index, platform_.p2p.test_cost);
  for (const std::uint32_t id : strand.operation.requests) {
    const std::uint32_t* found = named_.find(rank | id);
    if (found == nullptr) continue; // complete already: a detached send, a null or an inactive request
    const std::uint32_t request = *found;
    named_.erase(rank | id);
    wait_for(index, request);
  }
  begin_wait(index);
}

void Engine::forget(std::uint32_t index) {
  const Strand& strand = strands_[index];
  const std::uint64_t rank = static_cast<std::uint64_t>(strand.rank) << 32;
  for (const std::uint32_t id : strand.operation.requests) {
    const std::uint32_t* found = named_.find(rank | id);
    if (found == nullptr) continue;
    const std::uint32_t index_of_request = *found;
    named_.erase(rank | id);
    Request& request = requests_[index_of_request];
    if (request.done) {
      requests_.release(index_of_request);
    } else if (request.kind == Request::Kind::receive && request.partner == kNone) {
      if (!request.hopeless) matching_.withdraw(requests_, request.key, index_of_request);
      requests_.release(index_of_request);
    } else {
      request.forgotten = true;
    }
  }
}

std::uint32_t Engine::post_send(const MatchKey& key, double bytes, bool detached, bool synchronous) {
  const std::uint32_t index = requests_.take();
  Request& request = requests_[index];
  request.kind = Request::Kind::send;
  request.key = key;
  request.bytes = bytes;
  request.detached = request.forgotten = detached;
  request.synchronous = synchronous;
  account_.message(key.source, bytes);
  const bool copy = is_copy(key.source, key.destination);
  if (channels_ && !copy) {
    announce(index);
    return index;
  }
  if (!copy && bytes < platform_.p2p.eager_flow_below_bytes) start_flow(index);
  const std::uint32_t receive = matching_.match_or_wait(requests_, key, index);
  if (receive != kNone) {
    meet(index, receive);
  } else {
    wake_probes(key);
  }
  return index;
}

// A message is there that probes may wait for.
void Engine::wake_probes(const MatchKey& key) {
  if (probing_.size() == 0) return;
  const std::vector<std::uint32_t>* waiting = probing_.find(key);
  if (waiting == nullptr) return;
  for (const std::uint32_t strand : *waiting) {
    strands_[strand].ready = now_;
    strands_[strand].outstanding = 0;
    wake(strand);
  }
  probing_.erase(key);
}

std::uint32_t Engine::post_receive(const MatchKey& key) {
  const std::uint32_t index = requests_.take();
  Request& request = requests_[index];
  request.kind = Request::Kind::receive;
  request.key = key;
  const std::uint32_t send = matching_.match_or_wait(requests_, key, index);
  if (send != kNone) meet(send, index);
  return index;
}

void Engine::meet(std::uint32_t send_index, std::uint32_t receive_index) {
  Request& send = requests_[send_index];
  Request& receive = requests_[receive_index];
  send.partner = receive_index;
  receive.partner = send_index;
  send.ready = receive.ready = now_;
  if (is_copy(send.key.source, send.key.destination)) {
    receive.overhead = copy_s(send.bytes);
    last_event_ = now_;
    ++messages_;
    complete(receive_index);
    return complete(send_index);
  }
  if (channels_) return meet_on_channel(send_index, receive_index);
  if (send.detached) receive.overhead = platform::overhead_at(platform_.p2p.receive_overhead, send.bytes).value();
  if (send.arrived) {
    complete(receive_index);
    complete(send_index);
  } else if (!send.flow_started) {
    start_flow(send_index);
  }
}

void Engine::start_flow(std::uint32_t index) {
  Request& send = requests_[index];
  send.flow_started = true;
  if (channels_) { // one-sided
    const ChannelPlay::Parcel parcel{network::ParcelKind::transfer, index,     kNone, send.key.source,
                                     send.key.destination,          send.bytes};
    return send_parcel(parcel, send.bytes, false);
  }
  const platform::HostId source = placement_.host_of[send.key.source];
  const platform::HostId destination = placement_.host_of[send.key.destination];
  const int shared = source == destination ? platform_.hosts[source].cores_per_cache : 0;
  const bool same_cache =
      shared > 0 && placement_.core_of[send.key.source] / shared == placement_.core_of[send.key.destination] / shared;
  network_.start(source, destination, send.bytes, index, now_, same_cache);
}

void Engine::arrive(std::uint32_t index) {
  last_event_ = now_;
  if (requests_[index].kind == Request::Kind::storage) return complete(index);
  ++messages_;
  if (requests_[index].kind == Request::Kind::transfer) {
    Request& request = requests_[index];
    if (request.reply < 0) return complete(index);
    request.bytes = std::exchange(request.reply, -1);
    std::swap(request.key.source, request.key.destination);
    return start_flow(index);
  }
  requests_[index].arrived = true;
  const std::uint32_t receive = requests_[index].partner;
  if (receive == kNone) return;
  complete(receive);
  complete(index);
}

void Engine::complete(std::uint32_t index) {
  Request& request = requests_[index];
  request.done = true;
  if (request.forgotten)
    requests_.release(index);
  else if (request.strand != kNone)
    deliver(index);
}

// Makes a strand wait for a request; takes it at once when it is complete. begin_wait() follows when all are named.
void Engine::wait_for(std::uint32_t index, std::uint32_t request) {
  if (requests_[request].done) return consume(index, request);
  requests_[request].strand = index;
  ++strands_[index].outstanding;
}

// The call has named all that it waits for: its core polls from now on, at least for the overheads that are owed.
void Engine::begin_wait(std::uint32_t index) {
  Strand& strand = strands_[index];
  const CoreState state = strand.operation.polled ? CoreState::probing : CoreState::polling;
  if (strand.outstanding == 0 && strand.poll_given) book_poll(strand);
  if (strand.outstanding == 0)
    advance(index, strand.busy_until - now_, state);
  else if (strand.main)
    cores_.set(strand.rank, state, now_);
}

// Takes a completed request: its overhead comes after those already owed.
void Engine::consume(std::uint32_t index, std::uint32_t request_index) {
  Strand& strand = strands_[index];
  const Request& request = requests_[request_index];
  strand.ready = std::max(strand.ready, request.ready);
  if (request.overhead > 0) strand.busy_until = std::max(strand.busy_until, now_) + request.overhead;
  requests_.release(request_index);
}

// Tells the strand that waits for a request that it is complete.
void Engine::deliver(std::uint32_t request_index) {
  const std::uint32_t index = requests_[request_index].strand;
  if (requests_[request_index].step) {
    if (!deliver_step(index, request_index)) return;
  } else {
    consume(index, request_index);
    if (--strands_[index].outstanding > 0) return;
  }
  wake(index);
}

void Engine::wake(std::uint32_t index) {
  const Strand& strand = strands_[index];
  if (strand.poll_given) book_poll(strand);
  if (strand.busy_until > now_)
    queue_.push(strand.busy_until, strand.rank, index);
  else
    make_ready(strand.rank, index);
}

} // namespace farcast::sim
