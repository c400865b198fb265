// TI traces: what each action means. Arguments and defaults as in SimGrid 3.32.
#include "predictor/trace/ti_trace.h"

#include <fmt/format.h>
#include <numeric>

namespace farcast::trace {

namespace {

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

} // namespace

// Computation, the frame of a run, and messages.
bool TiTimelines::act_on_messages(State& state, const Action& a) {
  const std::string_view name = a.name;
  const bool receives = name == "recv" || name == "irecv";
  const bool blocking_send = name == "send" || name == "ssend" || name == "bsend" || name == "rsend";
  if (name == "compute") {
    if (expect(a, 1, 1)) state.pending_s += number(a, 0) / state.flops_per_second;
  } else if (name == "sleep") {
    if (expect(a, 1, 1)) push(state, OperationKind::local, "").measured = base::Seconds(number(a, 0));
  } else if (name == "init") {
    if (!expect(a, 0, 1)) return true;
    state.default_size = a.words.empty() ? 1 : 8;
    push(state, OperationKind::init, "MPI_Init");
  } else if (name == "finalize") {
    finish(state);
  } else if (name == "location" || name == "comm_size" || name == "comm_split" || name == "comm_dup") {
    // SimGrid's replay runs everything on MPI_COMM_WORLD.
  } else if (blocking_send || name == "isend" || name == "issend") {
    if (!expect(a, 3, 4)) return true;
    const bool waits = blocking_send;
    Operation& operation = push(state, waits ? OperationKind::send : OperationKind::isend, waits ? "MPI_Send" : "MPI_Isend");
    operation.peer = rank_at(a, 0);
    operation.tag = static_cast<int>(number(a, 1));
    operation.bytes = count(a, 2) * type_size(state, a, 3);
    if (name == "ssend" || name == "issend") operation.mode = SendMode::synchronous;
    if (name == "bsend") operation.mode = SendMode::buffered;
    if (name == "rsend") operation.mode = SendMode::ready;
    if (waits) return true;
    operation.request = ++state.last_id;
    state.requests.add(a.rank, operation.peer, operation.tag, operation.request);
  } else if (receives) {
    if (!expect(a, 3, 4)) return true;
    const int peer = rank_at(a, 0);
    const int tag = static_cast<int>(number(a, 1));
    const double size = number(a, 2);
    const double element = type_size(state, a, 3);
    if (size < 0) { // its size was not known: SimGrid probes first
      Operation& probe = push(state, OperationKind::probe, "MPI_Probe");
      probe.peer = peer;
      probe.tag = tag;
    }
    const bool waits = name == "recv";
    Operation& operation =
        push(state, waits ? OperationKind::receive : OperationKind::ireceive, waits ? "MPI_Recv" : "MPI_Irecv");
    operation.peer = peer;
    operation.tag = tag;
    operation.bytes = size < 0 ? 0 : size * element;
    if (waits) return true;
    operation.request = ++state.last_id;
    state.requests.add(peer, a.rank, tag, operation.request);
  } else if (name == "sendRecv") {
    if (!expect(a, 4, 6)) return true;
    Operation& operation = push(state, OperationKind::send_receive, "MPI_Sendrecv");
    operation.bytes = count(a, 0) * type_size(state, a, 4);
    operation.peer = rank_at(a, 1);
    operation.receive_peer = rank_at(a, 3);
  } else {
    return false;
  }
  return true;
}

// What the trace leaves pending is waited for; SimGrid does the same when a rank's trace ends.
void TiTimelines::finish(State& state) {
  if (!state.requests.empty()) push(state, OperationKind::wait, "MPI_Waitall").requests = state.requests.take_all();
  push(state, OperationKind::finalize, "MPI_Finalize");
  state.finalized = true;
}

bool TiTimelines::act_on_requests(State& state, const Action& a) {
  if (a.name == "waitall") { // whatever its count says: all that is pending, as SimGrid
    if (!state.requests.empty()) push(state, OperationKind::wait, "MPI_Waitall").requests = state.requests.take_all();
    return true;
  }
  const bool waits = a.name == "wait" || a.name == "waitany";
  if (!waits && a.name != "test") return false;
  if (!expect(a, 3, 3)) return true;
  const int source = rank_at(a, 0);
  const int destination = rank_at(a, 1);
  const int tag = static_cast<int>(number(a, 2));
  if (!error_.empty()) return true;
  if (!waits) { // the wait that follows completes it
    push(state, OperationKind::local, "MPI_Test").measured = test_cost_;
    return true;
  }
  const std::uint32_t id = state.requests.take(source, destination, tag);
  if (id != 0) push(state, OperationKind::wait, "MPI_Wait").requests = {id};
  return true;
}

Collective& TiTimelines::push_collective(State& state, CollectiveKind kind, std::string_view mpi_name) {
  auto described = std::make_shared<Collective>();
  described->kind = kind;
  Collective& out = *described;
  push(state, OperationKind::collective, mpi_name).collective = std::move(described);
  return out;
}

// Collectives whose arguments do not depend on the number of ranks.
bool TiTimelines::act_on_collectives(State& state, const Action& a) {
  using K = CollectiveKind;
  const std::string_view name = a.name;
  if (name == "barrier") {
    push_collective(state, K::barrier, "MPI_Barrier");
  } else if (name == "bcast") {
    if (!expect(a, 1, 3)) return true;
    Collective& c = push_collective(state, K::bcast, "MPI_Bcast");
    c.send_bytes = c.receive_bytes = count(a, 0) * type_size(state, a, 2);
    c.root = rank_at(a, 1, true);
  } else if (name == "reduce" || name == "allreduce" || name == "scan" || name == "exscan") {
    const bool rooted = name == "reduce";
    if (!expect(a, 2, rooted ? 4 : 3)) return true;
    const K kind = rooted ? K::reduce : name == "allreduce" ? K::allreduce : name == "scan" ? K::scan : K::exscan;
    Collective& c = push_collective(state, kind,
                                    rooted                ? "MPI_Reduce"
                                    : name == "allreduce" ? "MPI_Allreduce"
                                    : name == "scan"      ? "MPI_Scan"
                                                          : "MPI_Exscan");
    c.send_bytes = c.receive_bytes = count(a, 0) * type_size(state, a, rooted ? 3 : 2);
    if (rooted) c.root = rank_at(a, 2, true);
    state.pending_s += number(a, 1) / state.flops_per_second;
  } else if (name == "alltoall" || name == "allgather") {
    if (!expect(a, 2, 4)) return true;
    Collective& c = name == "alltoall" ? push_collective(state, K::alltoall, "MPI_Alltoall")
                                       : push_collective(state, K::allgather, "MPI_Allgather");
    c.send_bytes = count(a, 0) * type_size(state, a, 2);
    c.receive_bytes = count(a, 1) * type_size(state, a, 3);
  } else if (name == "gather" || name == "scatter") {
    if (!expect(a, 2, 5)) return true;
    Collective& c =
        name == "gather" ? push_collective(state, K::gather, "MPI_Gather") : push_collective(state, K::scatter, "MPI_Scatter");
    c.send_bytes = count(a, 0) * type_size(state, a, 3);
    c.receive_bytes = count(a, 1) * type_size(state, a, 4);
    c.root = rank_at(a, 2, true);
  } else {
    return false;
  }
  return true;
}

// Collectives with a count per rank.
bool TiTimelines::act_on_lists(State& state, const Action& a) {
  using K = CollectiveKind;
  const std::size_t ranks = states_.size();
  const std::string_view name = a.name;
  if (name == "gatherv" || name == "allgatherv") {
    const bool rooted = name == "gatherv";
    if (!expect(a, 1 + ranks, rooted ? ranks + 4 : 2 * ranks + 3)) return true;
    const std::size_t behind = 1 + ranks + (rooted ? 1 : 0);
    // allgatherv may list displacements, behind the types or instead of them.
    const bool types = rooted || a.words.size() != 1 + 2 * ranks || ranks <= 2;
    Collective& c =
        rooted ? push_collective(state, K::gatherv, "MPI_Gatherv") : push_collective(state, K::allgatherv, "MPI_Allgatherv");
    c.send_bytes = count(a, 0) * (types ? type_size(state, a, behind) : state.default_size);
    c.receive_counts = list(a, 1, types ? type_size(state, a, behind + 1) : state.default_size);
    c.receive_bytes = sum_of(*c.receive_counts);
    if (rooted) c.root = rank_at(a, 1 + ranks, true);
    if (rooted && a.rank != c.root) c.receive_counts = nullptr;
  } else if (name == "scatterv") {
    if (!expect(a, 1 + ranks, ranks + 4)) return true;
    Collective& c = push_collective(state, K::scatterv, "MPI_Scatterv");
    c.send_counts = list(a, 0, type_size(state, a, ranks + 2));
    c.send_bytes = sum_of(*c.send_counts);
    c.receive_bytes = count(a, ranks) * type_size(state, a, ranks + 3);
    c.root = rank_at(a, ranks + 1, true);
    if (a.rank != c.root) c.send_counts = nullptr;
  } else if (name == "reducescatter") {
    if (!expect(a, ranks + 1, ranks + 2)) return true;
    Collective& c = push_collective(state, K::reduce_scatter, "MPI_Reduce_scatter");
    c.receive_counts = list(a, 0, type_size(state, a, ranks + 1));
    c.send_bytes = c.receive_bytes = sum_of(*c.receive_counts);
    state.pending_s += number(a, ranks) / state.flops_per_second;
  } else if (name == "alltoallv") {
    if (!expect(a, 2 * ranks + 2, 2 * ranks + 4)) return true;
    Collective& c = push_collective(state, K::alltoallv, "MPI_Alltoallv");
    c.send_counts = list(a, 1, type_size(state, a, 2 * ranks + 2));
    c.receive_counts = list(a, ranks + 2, type_size(state, a, 2 * ranks + 3));
    c.send_bytes = sum_of(*c.send_counts);
    c.receive_bytes = sum_of(*c.receive_counts);
  } else {
    return false;
  }
  return true;
}

} // namespace farcast::trace
