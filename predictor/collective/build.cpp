#include "predictor/collective/selector.h"

namespace farcast::collective {

namespace {

using trace::Collective;
using trace::CollectiveKind;
using Counts = std::shared_ptr<const std::vector<double>>;

constexpr double kSynchronizeBytes = 8;

// Away from the root only one of the two sides is given; where both are, they are equal.
double message_bytes(const Collective& collective) { return std::max(collective.send_bytes, collective.receive_bytes); }

double at_rank(const Counts& counts, int rank) { return (*counts)[static_cast<std::size_t>(rank)]; }

// What a rank moves from its send buffer to its own receive buffer; nothing with MPI_IN_PLACE.
double own_bytes(const Collective& collective, Place at) {
  if (collective.in_place) return 0;
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

// Open MPI returns at once from these kinds when there is no data. The other kinds do not know
// whether other ranks have data.
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

std::string_view build_alltoallv(const Collective& collective, Call call, Schedule& out) {
  // With MPI_IN_PLACE a rank sends to each rank as much as it receives from there.
  const Counts& given = collective.send_counts ? collective.send_counts : collective.receive_counts;
  const Counts counts = given ? given
                              : std::make_shared<const std::vector<double>>(static_cast<std::size_t>(call.at.size),
                                                                            message_bytes(collective) / call.at.size);
  call.sent = counts.get();
  call.received = collective.receive_counts ? collective.receive_counts.get() : counts.get();
  return choose(call, out);
}

std::string_view build_listed(Call call, const Blocks& blocks, Schedule& out) {
  call.blocks = &blocks;
  return choose(call, out);
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

std::string_view build_intra(const Collective& collective, Place at, const Context& context, Schedule& out) {
  Call call{.kind = collective.kind,
            .at = at,
            .root = collective.root,
            .bytes = message_bytes(collective),
            .commutative = collective.commutative,
            .in_place = collective.in_place,
            .ignored_bytes = collective.ignored_bytes,
            .context = &context};
  if (collective.element_bytes > 0) call.element_bytes = collective.element_bytes;
  switch (collective.kind) {
  case CollectiveKind::reduce_scatter:
    return build_listed(call, listed_or_even(collective.receive_counts, call.bytes, at.size), out);
  case CollectiveKind::allgatherv:
    return build_listed(call, listed_or_even(collective.receive_counts, collective.receive_bytes, at.size), out);
  case CollectiveKind::gatherv:
    call.bytes = collective.send_bytes;
    call.received = collective.receive_counts.get();
    return choose(call, out);
  case CollectiveKind::scatterv:
    call.bytes = collective.receive_bytes;
    call.sent = collective.send_counts.get();
    return choose(call, out);
  case CollectiveKind::alltoallv:
  case CollectiveKind::alltoallw:
    return build_alltoallv(collective, call, out);
  case CollectiveKind::neighbor_allgather:
  case CollectiveKind::neighbor_allgatherv:
  case CollectiveKind::neighbor_alltoall:
  case CollectiveKind::neighbor_alltoallv:
  case CollectiveKind::neighbor_alltoallw:
    return build_neighbor(collective, at.rank, out);
  case CollectiveKind::synchronize:
    recursive_doubling_allreduce(at, kSynchronizeBytes, out);
    return at.size == 1 ? "local" : "recursive_doubling";
  case CollectiveKind::construct:
    return build_communicator(call, collective.send_bytes, out);
  default:
    return choose(call, out);
  }
}

} // namespace

std::string_view build(const Collective& collective, int rank, int size, int remote_size, const Context& context,
                       Schedule& schedule) {
  const Place at{rank, size};
  if (remote_size > 0) return build_inter(collective, at, remote_size, context, schedule);
  if (moves_nothing(collective)) return "none";
  copy(schedule, own_bytes(collective, at));
  return build_intra(collective, at, context, schedule);
}

std::string_view build(const Collective& collective, int rank, int size, int remote_size, Schedule& schedule) {
  return build(collective, rank, size, remote_size, Context{}, schedule);
}

} // namespace farcast::collective
