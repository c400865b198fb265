#include "predictor/sim/point_to_point.h"

#include "predictor/sim/sane.h"

namespace farcast::sim {

using trace::OperationKind;
using trace::SendMode;

namespace {

MatchKey key_of(const trace::Operation& operation, std::uint32_t destination, std::uint32_t source, int tag) {
  const std::uint32_t id = operation.communicator ? operation.communicator->id : kNoCommunicator;
  return MatchKey{destination, source, user_context(id), static_cast<std::uint32_t>(tag)};
}

} // namespace

bool PointToPoint::is_detached(const trace::Operation& operation) const {
  if (operation.mode == SendMode::synchronous) return false;
  return operation.mode == SendMode::buffered || layer_.detaches(operation.bytes);
}

// Returns: whether there is such a rank; says so when there should be.
bool PointToPoint::valid_peer(const Strand& strand, int peer, PeerRole role) {
  if (peer >= 0 && peer < setting_.ranks) return true;
  if (peer == trace::kProcNull) return false;
  problems_.add_of(strand, {.kind = ProblemKind::no_such_rank, .role = role, .peer = peer, .ranks = setting_.ranks});
  return false;
}

void PointToPoint::pay_before_post(std::uint32_t index, bool immediate, bool whole) {
  Strand& strand = scheduler_[index];
  const double overhead = overhead_.begin(strand.rank, immediate, whole, sane(strand.operation.bytes));
  scheduler_.advance(index, overhead, CoreState::polling);
}

void PointToPoint::send(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const trace::Operation& operation = strand.operation;
  if (!valid_peer(strand, operation.peer, PeerRole::destination)) return;
  strand.stage = Stage::post;
  if (sends_to_itself(strand)) return;
  const bool whole = operation.mode == SendMode::synchronous || is_detached(operation);
  pay_before_post(index, operation.kind == OperationKind::isend, whole);
}

void PointToPoint::send_receive(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const trace::Operation& operation = strand.operation;
  const int self = static_cast<int>(strand.rank);
  const bool copy = sends_to_itself(strand);
  if (operation.peer == self && operation.receive_peer == self && !copy) return; // SimGrid: a plain copy, which takes no time
  strand.stage = Stage::post;
  if (operation.peer == trace::kProcNull || copy) return;
  pay_before_post(index, true, false);
}

void PointToPoint::transfer(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  if (!valid_peer(strand, strand.operation.peer, PeerRole::target)) return;
  strand.stage = Stage::post;
  if (sends_to_itself(strand)) return;
  pay_before_post(index, true, false);
}

void PointToPoint::post(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const trace::Operation& operation = strand.operation;
  strand.stage = Stage::leave;
  strand.posted = strand.ready = scheduler_.now();
  if (operation.kind == OperationKind::transfer) return post_transfer(strand);
  const bool both = operation.kind == OperationKind::send_receive;
  std::uint32_t sent = kNone; // both are waited for once both are posted: a copy is complete by then
  std::uint32_t received = kNone;
  if (!both || valid_peer(strand, operation.peer, PeerRole::destination)) sent = post_own_send(strand);
  if (both && operation.receive_peer == trace::kUnknownPeer)
    ++strand.outstanding; // never completes
  else if (both)
    received = post_receive(strand, operation.receive_peer, operation.receive_tag, 0);
  for (const std::uint32_t request : {sent, received}) {
    if (request != kNone) requests_.wait_for(index, request);
  }
  requests_.begin_wait(index);
}

// Returns: the send that the call has to wait for; kNone when there is none.
std::uint32_t PointToPoint::post_own_send(Strand& strand) {
  const trace::Operation& operation = strand.operation;
  const bool detached = is_detached(operation);
  strand.sent = key_of(operation, static_cast<std::uint32_t>(operation.peer), strand.rank, operation.tag);
  std::uint32_t request =
      messages_.post_send(strand.sent, sane(operation.bytes), detached, operation.mode == SendMode::synchronous);
  if (detached) request = operation.mode == SendMode::buffered ? kNone : messages_.handing_over(strand.sent);
  if (request == kNone) return kNone;
  if (operation.kind != OperationKind::isend) return request;
  requests_.name(strand.rank, operation.request, request);
  return kNone;
}

void PointToPoint::post_transfer(const Strand& strand) {
  const trace::Operation& operation = strand.operation;
  const MatchKey key = key_of(operation, static_cast<std::uint32_t>(operation.peer), strand.rank, operation.tag);
  const double reply = operation.reply_bytes < 0 ? -1 : sane(operation.reply_bytes);
  messages_.post_transfer(key, sane(operation.bytes), reply, operation.request, operation.lock);
}

std::uint32_t PointToPoint::post_receive(const Strand& strand, int source, int tag, std::uint32_t id) {
  const trace::Operation& operation = strand.operation;
  const bool open = source == trace::kAnyPeer || tag == trace::kAnyTag || operation.kind == OperationKind::ireceive;
  if (operation.asked && open && source != trace::kProcNull)
    return messages_.post_receive(pattern_of(operation, strand.rank, source, tag), id, operation.communicator);
  if (!valid_peer(strand, source, PeerRole::source)) return kNone;
  if (operation.message != 0) return messages_.post_receive(Messages::taken_key(strand.rank, operation.message));
  return messages_.post_receive(key_of(operation, strand.rank, static_cast<std::uint32_t>(source), tag));
}

void PointToPoint::receive(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const trace::Operation& operation = strand.operation;
  std::uint32_t request = kNone;
  if (operation.peer == trace::kUnknownPeer) { // posted where no send can meet it
    request = requests_.take(Request::Kind::receive);
    requests_[request].hopeless = true;
  } else {
    request = post_receive(strand, operation.peer, operation.tag, operation.request);
    if (request == kNone) return;
  }
  if (operation.kind == OperationKind::ireceive) return requests_.name(strand.rank, operation.request, request);
  requests_.wait_for(index, request);
  requests_.begin_wait(index);
}

void PointToPoint::probe(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  const trace::Operation& operation = strand.operation;
  if (operation.polled) strand.busy_until = scheduler_.now() + polls_.begin(strand);
  if (operation.asked) strand.stage = Stage::settle;
  if (operation.asked && operation.peer != trace::kProcNull) {
    if (!messages_.probe(index, pattern_of(operation, strand.rank, operation.peer, operation.tag))) strand.outstanding = 1;
  } else if (operation.peer == trace::kUnknownPeer) {
    strand.outstanding = 1;
  } else if (valid_peer(strand, operation.peer, PeerRole::source)) {
    const MatchKey key = key_of(operation, strand.rank, static_cast<std::uint32_t>(operation.peer), operation.tag);
    if (!messages_.probe(index, key)) strand.outstanding = 1;
  }
  requests_.begin_wait(index);
}

void PointToPoint::poll(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  if (strand.operation.asked) strand.stage = Stage::settle;
  const double seconds = polls_.begin(strand);
  if (strand.poll_given) polls_.book(strand);
  if (strand.main && layer_.poll(strand.rank)) {
    strand.outstanding = 1;
    strand.busy_until = scheduler_.now() + seconds;
    return scheduler_.set_core(strand, CoreState::probing);
  }
  scheduler_.advance(index, seconds, CoreState::probing);
}

void PointToPoint::wait(std::uint32_t index) {
  Strand& strand = scheduler_[index];
  if (strand.operation.asked && strand.operation.completes != trace::Completes::all) {
    strand.stage = Stage::settle;
    answers_.begin_wait(index);
    return requests_.begin_wait(index);
  }
  if (strand.operation.polled) strand.busy_until = scheduler_.now() + polls_.begin(strand);
  for (const std::uint32_t id : strand.operation.requests) {
    const std::uint32_t request = requests_.take_named(strand.rank, id);
    if (request != kNone) requests_.wait_for(index, request);
  }
  requests_.begin_wait(index);
}

void PointToPoint::forget(std::uint32_t index) {
  const Strand& strand = scheduler_[index];
  if (strand.operation.asked) return answers_.cancel(index);
  for (const std::uint32_t id : strand.operation.requests) {
    const std::uint32_t named = requests_.take_named(strand.rank, id);
    if (named == kNone) continue;
    Request& request = requests_[named];
    if (request.done) {
      requests_.release(named);
    } else if (request.hopeless) {
      requests_.release(named);
    } else if (!strand.operation.freed && request.kind == Request::Kind::receive && request.partner == kNone) {
      messages_.withdraw(named);
      requests_.release(named);
    } else {
      request.forgotten = true;
    }
  }
}

} // namespace farcast::sim
