// Decoder: collectives, and the constructors and destructors that agree on an object.
#include "predictor/trace/decoder.h"

#include <algorithm>
#include <utility>

namespace farcast::trace {

namespace {

using C = FunctionClass;

} // namespace

std::shared_ptr<const Collective> Decoder::describe(const RecordedCall& call, const FunctionInfo& info,
                                                    const KnownComm& comm) const {
  auto out = std::make_shared<Collective>();
  out->kind = info.collective;
  out->root = call.slot.peer == stream::kRootPeer ? kInterRoot : call.slot.peer == stream::kNoPeer ? kProcNull : call.slot.peer;
  out->send_bytes = bytes_of(call.slot.bytes);
  out->receive_bytes = bytes_of(call.slot.result_bytes);
  out->in_place = (call.slot.flags & stream::kFlagInPlace) != 0;
  const double counted = std::max(0, call.slot.tag);
  (out->in_place && info.collective == CollectiveKind::allgather ? out->ignored_bytes : out->element_bytes) = counted;
  out->commutative = (call.slot.flags & stream::kFlagCommutative) != 0;
  if (call.has_send_counts) out->send_counts = std::make_shared<const std::vector<double>>(call.send_counts);
  if (call.has_receive_counts) out->receive_counts = std::make_shared<const std::vector<double>>(call.receive_counts);
  if (out->in_place && call.has_receive_counts && !call.has_send_counts) {
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

void Decoder::collective(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
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
    auto request = std::make_unique<Request>();
    request->add_id(operation.request);
    request->active = true;
    requests_.add(call.slot.handle, std::move(request));
  }
  push(thread, std::move(operation));
}

// A window or a file is there.
void Decoder::note_object(const RecordedCall& call, const FunctionInfo& info) {
  const std::uint32_t comm = call.slot.comm;
  if (info.kind == C::file_coll_ctor && comm == stream::kNoComm) return; // MPI_File_close
  SharedObject& object = objects_[call.slot.handle];
  object = SharedObject{comm};
  if (info.kind == C::win_ctor) object.number = windows_[comm]++;
}

// Constructors and destructors of communicators, windows and files, and their collective
// synchronisations.
void Decoder::agreement(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  std::uint32_t local = call.slot.comm;
  const std::uint64_t object = call.slot.handle;
  switch (info.kind) {
  case C::intercomm_ctor:
    return create_intercomm(thread, call, std::move(operation));
  case C::comm_disconnect: // a barrier in Open MPI 4.1; MPICH 4.0 waits for nobody
    if (!disconnect_waits_) local = stream::kNoComm;
    break;
  case C::comm_group_ctor: // collective over the group only: over the new communicator
    local = static_cast<std::uint32_t>(object);
    break;
  case C::win_ctor:
    if (!operation.asked) note_object(call, info);
    break;
  case C::file_coll_ctor:
    if (!operation.asked) note_object(call, info);
    [[fallthrough]];
  case C::win_free:
  case C::win_sync_coll:
  case C::io_sync:
  case C::io_coll:  // announced
  case C::io_begin: // the same
    if (const auto known = objects_.find(object); known != objects_.end()) local = known->second.comm;
    break;
  default:
    break;
  }
  if (info.access == WindowAccess::complete_all) complete_accesses(thread, object, kUnknownPeer, operation);
  const KnownComm* comm = comms_.find(local);
  std::shared_ptr<const Communicator> members = comm == nullptr ? nullptr : comm->shared;
  // Announced: the communicator is not there yet.
  if (info.kind == C::comm_group_ctor && operation.asked && call.group)
    members = comms_.next_of(*call.group, {call.slot.comm, call.slot.tag});
  if (members == nullptr) {
    push(thread, std::move(operation));
    return;
  }
  auto described = std::make_shared<Collective>();
  const bool constructs = info.kind == C::comm_ctor || info.kind == C::comm_ictor || info.kind == C::comm_group_ctor;
  described->kind = constructs ? CollectiveKind::construct : CollectiveKind::synchronize;
  const bool works = info.kind == C::win_ctor || info.kind == C::win_free;
  described->works = works && !operation.asked;
  described->send_bytes = described->receive_bytes = constructs && !info.splits ? 0 : 8; // color and key
  operation.communicator = std::move(members);
  operation.collective = std::move(described);
  operation.kind = OperationKind::collective;
  if (info.kind == C::comm_ictor) {
    operation.kind = OperationKind::icollective;
    operation.request = requests_.new_id();
    auto request = std::make_unique<Request>();
    request->add_id(operation.request);
    request->active = true;
    requests_.add(object, std::move(request));
  }
  if (works && operation.asked) note_work(operation);
  push(thread, std::move(operation));
}

// The leaders tell each other who is in their groups and then their groups; all agree on the new
// communicator, as both libraries do. Coupled: nobody is let into the library before all have come.
void Decoder::create_intercomm(Thread& thread, const RecordedCall& call, Operation&& operation) {
  const KnownComm* local = comms_.find(call.slot.comm);
  const bool asked = std::exchange(operation.asked, false);
  const auto leader = static_cast<int>(call.slot.bytes & 0xffffffff);
  const int leading = local == nullptr ? kProcNull : CommTable::to_world(*local, leader);
  std::shared_ptr<const Communicator> made;
  if (leading != kProcNull) {
    const KnownComm* between = comms_.find(static_cast<std::uint32_t>(call.slot.bytes >> 32));
    const bool leads = leader == local->own_rank && between != nullptr;
    const int other = leads ? CommTable::to_world(*between, call.slot.peer) : kProcNull;
    if (asked) made = comms_.begin_intercomm(*local, leader, other, call.slot.tag);
    if (other != kProcNull) {
      Operation meet = operation;
      meet.kind = OperationKind::send_receive;
      meet.communicator = comms_.apart({std::min(leading, other), std::max(leading, other)});
      meet.peer = meet.receive_peer = other;
      meet.tag = meet.receive_tag = kLeadersTag - call.slot.tag % -kLeadersTag;
      meet.bytes = meet.reply_bytes = 8;
      push(thread, std::move(meet));
      continue_call(operation);
    }
    Operation told = operation;
    told.kind = OperationKind::collective;
    told.communicator = local->shared;
    told.collective = of_few_bytes(CollectiveKind::bcast, leader);
    push(thread, std::move(told));
    continue_call(operation);
  }
  const KnownComm* there = asked ? nullptr : comms_.find(static_cast<std::uint32_t>(call.slot.handle));
  operation.communicator = there == nullptr ? made : there->shared;
  operation.asked = asked;
  if (operation.communicator == nullptr) return push(thread, std::move(operation));
  operation.collective = of_few_bytes(CollectiveKind::synchronize);
  operation.kind = OperationKind::collective;
  push(thread, std::move(operation));
}

// A generalized request is complete when MPI_Grequest_complete has been called: a message of the
// rank to itself, of no bytes.
void Decoder::generalized_request(Thread& thread, const RecordedCall& call, Operation&& operation) {
  constexpr std::uint32_t most = 1 << 30;
  const auto tag_of = [](std::uint32_t id) { return kGeneralizedTag - static_cast<int>(id % most); };
  const std::vector<int> own{rank_.rank};
  operation.communicator = comms_.apart(own);
  operation.peer = rank_.rank;
  operation.request = requests_.new_id();
  if (function_infos()[call.slot.function].kind == C::grequest_start) {
    operation.kind = OperationKind::ireceive;
    operation.tag = tag_of(operation.request);
    requests_.add(call.slot.handle, operation.request);
    return push(thread, std::move(operation));
  }
  const Request* const request = requests_.find(call.slot.bytes);
  if (request != nullptr && request->id_count > 0) {
    operation.kind = OperationKind::isend;
    operation.tag = tag_of(request->ids[0]);
  }
  push(thread, std::move(operation));
}

// Requests of calls that are not modelled: waiting for them takes no time.
void Decoder::object_request(Thread& thread, const RecordedCall& call, Operation&& operation) {
  const C kind = function_infos()[call.slot.function].kind;
  if (kind == C::grequest_start || kind == C::grequest_complete) return generalized_request(thread, call, std::move(operation));
  auto request = std::make_unique<Request>();
  request->persistent =
      kind == C::psend_init || kind == C::precv_init || kind == C::send_init || kind == C::recv_init || kind == C::coll_init;
  requests_.add(call.slot.handle, std::move(request));
  push(thread, std::move(operation));
}

// A call on a communicator that comes from a session, or has members that this job did not start:
// nobody knows them, or what they do. It keeps its measured time.
void Decoder::as_measured(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation) {
  operation.kind = OperationKind::local;
  switch (info.kind) {
  case C::isend:
  case C::irecv:
  case C::isendrecv:
  case C::icoll:
  case C::comm_ictor:
  case C::send_init:
  case C::recv_init:
  case C::coll_init:
    object_request(thread, call, std::move(operation));
    break;
  case C::win_ctor:
  case C::file_coll_ctor:
    objects_.erase(call.slot.handle); // one of the same handle that has been freed
    [[fallthrough]];
  default:
    push(thread, std::move(operation));
  }
}

} // namespace farcast::trace
