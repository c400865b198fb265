#include "predictor/collective/selector.h"

namespace farcast::collective {

namespace {

using trace::CollectiveKind;

constexpr std::string_view kLeaderExchange = "leader_exchange";
constexpr std::string_view kRootLeader = "root_leader";
constexpr double kSynchronizeBytes = 8;
constexpr double kBarrierBytes = 4; // Open MPI's barrier here is an allreduce of one int

struct InterCall {
  const trace::Collective& collective;
  Place at;
  int remote_size;
  const Context& context;
  Schedule& out;

  // The library's choice for a part of the call that stays in this rank's own group, with rank 0 as
  // its root.
  void within(CollectiveKind kind, double bytes) const {
    choose(Call{.kind = kind, .at = at, .bytes = bytes, .commutative = collective.commutative, .context = &context}, out);
  }

  [[nodiscard]] int remote(int rank) const { return at.size + rank; }
  [[nodiscard]] int remote_leader() const { return remote(0); }
  [[nodiscard]] bool leads() const { return at.rank == 0; }
  [[nodiscard]] bool is_root() const { return collective.root == trace::kInterRoot; }
  [[nodiscard]] bool opposite_root() const { return collective.root >= 0; } // the root is remote rank `root`
};

// Bytes to or from remote rank `rank`: of a v or w kind's list, else an equal share of the total.
double listed(const std::shared_ptr<const std::vector<double>>& counts, int rank, double total, int ranks) {
  return counts ? (*counts)[static_cast<std::size_t>(rank)] : total / ranks;
}

void allreduce(const InterCall& call, double bytes) {
  call.within(CollectiveKind::reduce, bytes);
  if (call.leads()) exchange(call.out, call.remote_leader(), bytes, call.remote_leader(), bytes);
  call.within(CollectiveKind::bcast, bytes);
}

void bcast(const InterCall& call, double bytes) {
  if (call.is_root()) send(call.out, call.remote_leader(), bytes);
  if (!call.opposite_root()) return;
  if (call.leads()) receive(call.out, call.remote(call.collective.root), bytes);
  call.within(CollectiveKind::bcast, bytes);
}

void reduce_to_root(const InterCall& call, double bytes) {
  if (call.is_root()) receive(call.out, call.remote_leader(), bytes);
  if (!call.opposite_root()) return;
  call.within(CollectiveKind::reduce, bytes);
  if (call.leads()) send(call.out, call.remote(call.collective.root), bytes);
}

void gather(const InterCall& call) {
  if (call.is_root()) receive(call.out, call.remote_leader(), call.collective.receive_bytes * call.remote_size);
  if (!call.opposite_root()) return;
  call.within(CollectiveKind::gather, call.collective.send_bytes);
  if (call.leads()) send(call.out, call.remote(call.collective.root), call.collective.send_bytes * call.at.size);
}

void scatter(const InterCall& call) {
  if (call.is_root()) send(call.out, call.remote_leader(), call.collective.send_bytes * call.remote_size);
  if (!call.opposite_root()) return;
  if (call.leads()) receive(call.out, call.remote(call.collective.root), call.collective.receive_bytes * call.at.size);
  call.within(CollectiveKind::scatter, call.collective.receive_bytes);
}

void gatherv(const InterCall& call) {
  const trace::Collective& collective = call.collective;
  if (call.opposite_root()) send(call.out, call.remote(collective.root), collective.send_bytes);
  if (!call.is_root()) return;
  for (int peer = 0; peer < call.remote_size; ++peer)
    ireceive(call.out, call.remote(peer), listed(collective.receive_counts, peer, collective.receive_bytes, call.remote_size));
  wait_all(call.out);
}

void scatterv(const InterCall& call) {
  const trace::Collective& collective = call.collective;
  if (call.opposite_root()) receive(call.out, call.remote(collective.root), collective.receive_bytes);
  if (!call.is_root()) return;
  for (int peer = 0; peer < call.remote_size; ++peer)
    isend(call.out, call.remote(peer), listed(collective.send_counts, peer, collective.send_bytes, call.remote_size));
  wait_all(call.out);
}

void allgather(const InterCall& call) {
  const double own_group = call.collective.send_bytes * call.at.size;
  const double other_group = call.collective.receive_bytes * call.remote_size;
  call.within(CollectiveKind::gather, call.collective.send_bytes);
  if (call.leads()) exchange(call.out, call.remote_leader(), own_group, call.remote_leader(), other_group);
  call.within(CollectiveKind::bcast, other_group);
}

// Everything at once to and from every remote rank. Requires: sent(peer) and received(peer) give bytes.
template <class Sent, class Received> void all_remote(const InterCall& call, Sent sent, Received received) {
  for (int peer = 0; peer < call.remote_size; ++peer) ireceive(call.out, call.remote(peer), received(peer));
  for (int peer = 0; peer < call.remote_size; ++peer) isend(call.out, call.remote(peer), sent(peer));
  wait_all(call.out);
}

void reduce_scatter(const InterCall& call, const Blocks& blocks) {
  const double bytes = blocks.total(); // the standard wants the same total in both groups
  call.within(CollectiveKind::reduce, bytes);
  if (call.leads()) exchange(call.out, call.remote_leader(), bytes, call.remote_leader(), bytes);
  linear_scatter_blocks(call.at, blocks, call.out);
}

void all_to_all(const InterCall& call) {
  const trace::Collective& collective = call.collective;
  if (collective.kind == CollectiveKind::alltoall)
    return all_remote(
        call, [&](int) { return collective.send_bytes; }, [&](int) { return collective.receive_bytes; });
  const auto received = [&](int peer) {
    return listed(collective.receive_counts, peer, collective.receive_bytes, call.remote_size);
  };
  if (collective.kind == CollectiveKind::allgatherv)
    return all_remote(
        call, [&](int) { return collective.send_bytes; }, received);
  all_remote(
      call, [&](int peer) { return listed(collective.send_counts, peer, collective.send_bytes, call.remote_size); }, received);
}

} // namespace

std::string_view build_inter(const trace::Collective& collective, Place at, int remote_size, const Context& context,
                             Schedule& out) {
  const InterCall call{collective, at, remote_size, context, out};
  const double bytes = std::max(collective.send_bytes, collective.receive_bytes);
  switch (collective.kind) {
  case CollectiveKind::barrier:
    return allreduce(call, kBarrierBytes), kLeaderExchange;
  case CollectiveKind::synchronize:
  case CollectiveKind::construct:
    return allreduce(call, kSynchronizeBytes), kLeaderExchange;
  case CollectiveKind::allreduce:
    return allreduce(call, bytes), kLeaderExchange;
  case CollectiveKind::allgather:
    return allgather(call), kLeaderExchange;
  case CollectiveKind::reduce_scatter:
    return reduce_scatter(call, collective.receive_counts ? Blocks::listed(*collective.receive_counts)
                                                          : Blocks::even(collective.send_bytes, at.size)),
           kLeaderExchange;
  case CollectiveKind::reduce_scatter_block:
    return reduce_scatter(call, Blocks::uniform(bytes, at.size)), kLeaderExchange;
  case CollectiveKind::bcast:
    return bcast(call, bytes), kRootLeader;
  case CollectiveKind::reduce:
    return reduce_to_root(call, bytes), kRootLeader;
  case CollectiveKind::gather:
    return gather(call), kRootLeader;
  case CollectiveKind::scatter:
    return scatter(call), kRootLeader;
  case CollectiveKind::gatherv:
    return gatherv(call), "linear";
  case CollectiveKind::scatterv:
    return scatterv(call), "linear";
  case CollectiveKind::allgatherv:
  case CollectiveKind::alltoall:
  case CollectiveKind::alltoallv:
  case CollectiveKind::alltoallw:
    return all_to_all(call), "linear";
  default:
    return "none"; // scan, exscan and neighbourhood kinds do not exist for inter-communicators
  }
}

} // namespace farcast::collective
