#include "predictor/collective/selector.h"

namespace farcast::collective {

namespace {

using trace::Collective;
using trace::CollectiveKind;
using Counts = std::shared_ptr<const std::vector<double>>;

constexpr double kSynchronizeBytes = 8;

// With MPI_IN_PLACE, or away from the root, only one of the two sides is given; where both are, they are equal.
double message_bytes(const Collective& collective) { return std::max(collective.send_bytes, collective.receive_bytes); }

double at_rank(const Counts& counts, int rank) { return (*counts)[static_cast<std::size_t>(rank)]; }

// What a rank moves from its send buffer to its own receive buffer; nothing with MPI_IN_PLACE.
double own_bytes(const Collective& collective, Place at) {
  const double both = std::min(collective.send_bytes, collective.receive_bytes);
  switch (collective.kind) {
  case CollectiveKind::reduce:
  case CollectiveKind::gather:
  case CollectiveKind::scatter:
    return at.rank == collective.root ? both : 0;
  case CollectiveKind::gatherv:
    return at.rank == collective.root ? collective.send_bytes : 0;
  case CollectiveKind::scatterv:
    return at.rank == collective.root ? collective.receive_bytes : 0;
  case CollectiveKind::allreduce:
  case CollectiveKind::scan:
  case CollectiveKind::allgather:
  case CollectiveKind::alltoall:
  case CollectiveKind::allgatherv:
  case CollectiveKind::reduce_scatter:
  case CollectiveKind::reduce_scatter_block:
    return both;
  case CollectiveKind::alltoallv:
  case CollectiveKind::alltoallw:
    return collective.send_counts && collective.receive_counts
               ? std::min(at_rank(collective.send_counts, at.rank), at_rank(collective.receive_counts, at.rank))
               : 0;
  default:
    return 0; // barrier, bcast, exscan, synchronize; neighbourhood kinds see to it themselves
  }
}

// Open MPI returns at once from these kinds when there is no data. The other kinds do not know whether other ranks have data.
bool moves_nothing(const Collective& collective) {
  switch (collective.kind) {
  case CollectiveKind::bcast:
  case CollectiveKind::reduce:
  case CollectiveKind::allreduce:
  case CollectiveKind::scan:
  case CollectiveKind::exscan:
  case CollectiveKind::gather:
  case CollectiveKind::scatter:
  case CollectiveKind::allgather:
  case CollectiveKind::alltoall:
  case CollectiveKind::reduce_scatter_block:
    return message_bytes(collective) <= 0;
  default:
    return false;
  }
}

Blocks listed_or_even(const Counts& counts, double total, int size) {
  return counts ? Blocks::listed(*counts) : Blocks::even(total, size);
}

std::string_view build_alltoallv(const Collective& collective, Place at, Schedule& out) {
  if (at.size == 1) return "local";
  // With MPI_IN_PLACE a rank sends to each rank as much as it receives from there.
  const Counts& given = collective.send_counts ? collective.send_counts : collective.receive_counts;
  const Counts counts =
      given ? given
            : std::make_shared<const std::vector<double>>(static_cast<std::size_t>(at.size), message_bytes(collective) / at.size);
  const std::vector<double>& sent = *counts;
  const std::vector<double>& received = collective.receive_counts ? *collective.receive_counts : *counts;
  if (collective.kind == CollectiveKind::alltoallw) {
    linear_alltoallv(at, sent, received, out);
    return "linear";
  }
  pairwise_alltoallv(at, sent, received, out);
  return "pairwise";
}

std::string_view build_neighbor(const Collective& collective, int rank, Schedule& out) {
  static const std::vector<int> kNobody;
  linear_neighbor_exchange(rank,
                           Neighborhood{.sources = collective.sources ? *collective.sources : kNobody,
                                        .destinations = collective.destinations ? *collective.destinations : kNobody,
                                        .sent_block = collective.send_bytes,
                                        .received_block = collective.receive_bytes,
                                        .sent = collective.send_counts.get(),
                                        .received = collective.receive_counts.get()},
                           out);
  return "linear";
}

std::string_view build_linear_vector(const Collective& collective, Place at, Schedule& out) {
  if (collective.kind == CollectiveKind::gatherv)
    linear_gatherv(at, collective.root, collective.send_bytes, collective.receive_counts.get(), out);
  else
    linear_scatterv(at, collective.root, collective.receive_bytes, collective.send_counts.get(), out);
  return at.size == 1 ? "local" : "linear";
}

std::string_view build_intra(const Collective& collective, Place at, Schedule& out) {
  const double bytes = message_bytes(collective);
  switch (collective.kind) {
  case CollectiveKind::barrier:
    return choose_barrier(at, out);
  case CollectiveKind::bcast:
    return choose_bcast(at, collective.root, bytes, out);
  case CollectiveKind::reduce:
    return choose_reduce(at, collective.root, bytes, collective.commutative, out);
  case CollectiveKind::allreduce:
    return choose_allreduce(at, bytes, collective.commutative, out);
  case CollectiveKind::reduce_scatter:
    return choose_reduce_scatter(at, listed_or_even(collective.receive_counts, bytes, at.size), collective.commutative, out);
  case CollectiveKind::reduce_scatter_block:
    return choose_reduce_scatter(at, Blocks::uniform(bytes, at.size), collective.commutative, out);
  case CollectiveKind::scan:
  case CollectiveKind::exscan:
    return choose_scan(at, bytes, out);
  case CollectiveKind::gather:
    return choose_gather(at, collective.root, bytes, out);
  case CollectiveKind::scatter:
    return choose_scatter(at, collective.root, bytes, out);
  case CollectiveKind::gatherv:
  case CollectiveKind::scatterv:
    return build_linear_vector(collective, at, out);
  case CollectiveKind::allgather:
    return choose_allgather(at, bytes, out);
  case CollectiveKind::allgatherv:
    return choose_allgatherv(at, listed_or_even(collective.receive_counts, collective.receive_bytes, at.size), out);
  case CollectiveKind::alltoall:
    return choose_alltoall(at, bytes, out);
  case CollectiveKind::alltoallv:
  case CollectiveKind::alltoallw:
    return build_alltoallv(collective, at, out);
  case CollectiveKind::neighbor_allgather:
  case CollectiveKind::neighbor_allgatherv:
  case CollectiveKind::neighbor_alltoall:
  case CollectiveKind::neighbor_alltoallv:
  case CollectiveKind::neighbor_alltoallw:
    return build_neighbor(collective, at.rank, out);
  case CollectiveKind::synchronize:
    recursive_doubling_allreduce(at, kSynchronizeBytes, out);
    return at.size == 1 ? "local" : "recursive_doubling";
  }
  return "none";
}

} // namespace

std::string_view build(const Collective& collective, int rank, int size, int remote_size, Schedule& schedule) {
  const Place at{rank, size};
  if (remote_size > 0) return build_inter(collective, at, remote_size, schedule);
  if (moves_nothing(collective)) return "none";
  copy(schedule, own_bytes(collective, at));
  return build_intra(collective, at, schedule);
}

} // namespace farcast::collective
