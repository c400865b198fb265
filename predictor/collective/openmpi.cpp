// Open MPI 4.1: coll/tuned's algorithms in the order of its MCA parameters, and what coll/basic
// does for the rest.
//
// From Open MPI 4.1.4: ompi/mca/coll/tuned/coll_tuned_*_decision.c (numbers, names, defaults:
// segments 0, chains of fan-out 1, k-nomial radix 4, no bound on requests), ompi/mca/coll/base
// (what unsuited calls fall back to).
#include "predictor/collective/openmpi_rules.h"
#include "predictor/collective/selector.h"

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

constexpr int kKnomialRadix = 4;
constexpr double kWhole = 0; // no segments
constexpr Rule kFirst[] = {{kAny, kAny, 1}};

void two_proc_alltoall(const Call& call, Schedule& out) { pairwise_alltoall(call.at, call.bytes, out); }

void chain_of_one(const Call& call, Schedule& out) { chain_bcast(call.at, call.root, call.bytes, kWhole, 1, out); }

constexpr Algorithm kBarrier[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_barrier(call.at, out); }},
    {"double_ring", [](const Call& call, Schedule& out) { double_ring_barrier(call.at, out); }},
    {"recursive_doubling", [](const Call& call, Schedule& out) { recursive_doubling_barrier(call.at, out); }},
    {"bruck", [](const Call& call, Schedule& out) { dissemination_barrier(call.at, out); }},
    {"two_proc", [](const Call& call, Schedule& out) { recursive_doubling_barrier(call.at, out); }},
    {"tree", [](const Call& call, Schedule& out) { tree_barrier(call.at, out); }},
};

constexpr Algorithm kBcast[] = {
    {"basic_linear", [](const Call& call, Schedule& out) { linear_bcast(call.at, call.root, call.bytes, out); }},
    {"chain", chain_of_one},
    {"pipeline", [](const Call& call, Schedule& out) { pipeline_bcast(call.at, call.root, call.bytes, kWhole, out); }},
    {"split_binary_tree",
     [](const Call& call, Schedule& out) { split_binary_tree_bcast(call.at, call.root, call.bytes, kWhole, out); }},
    {"binary_tree", [](const Call& call, Schedule& out) { binary_bcast(call.at, call.root, call.bytes, kWhole, out); }},
    {"binomial", [](const Call& call, Schedule& out) { binomial_bcast(call.at, call.root, call.bytes, kWhole, out); }},
    {"knomial",
     [](const Call& call, Schedule& out) { knomial_bcast(call.at, call.root, call.bytes, kWhole, kKnomialRadix, out); }},
    {"scatter_allgather",
     [](const Call& call, Schedule& out) { scatter_doubling_allgather_bcast(call.at, call.root, call.bytes, out); }},
    {"scatter_allgather_ring",
     [](const Call& call, Schedule& out) { scatter_ring_allgather_bcast(call.at, call.root, call.bytes, out); }},
};

int settle_bcast(const Call& call, int number) {
  const bool scatters = number == 8 || number == 9;
  if (scatters && elements_of(call) < call.at.size) return 1;
  if (number == 4 && elements_of(call) < 2) return 1;
  return number;
}

constexpr Algorithm kReduce[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_reduce(call.at, call.root, call.bytes, out); }},
    {"chain", [](const Call& call, Schedule& out) { chain_reduce(call.at, call.root, call.bytes, kWhole, 1, out); }},
    {"pipeline", [](const Call& call, Schedule& out) { pipeline_reduce(call.at, call.root, call.bytes, kWhole, out); }},
    {"binary", [](const Call& call, Schedule& out) { binary_reduce(call.at, call.root, call.bytes, kWhole, out); }},
    {"binomial", [](const Call& call, Schedule& out) { binomial_reduce(call.at, call.root, call.bytes, kWhole, out); }},
    {"in-order_binary",
     [](const Call& call, Schedule& out) { in_order_binary_reduce(call.at, call.root, call.bytes, kWhole, out); }},
    {"rabenseifner", [](const Call& call, Schedule& out) { rabenseifner_reduce(call.at, call.root, call.bytes, out); }},
};

bool halves_badly(const Call& call) { return !call.commutative || elements_of(call) < floor_power_of_two(call.at.size); }

int settle_reduce(const Call& call, int number) { return number == 7 && halves_badly(call) ? 1 : number; }

void nonoverlapping_allreduce(const Call& call, Schedule& out) {
  choose(call.as(Kind::reduce, call.bytes), out);
  choose(call.as(Kind::bcast, call.bytes), out);
}

void linear_allreduce(const Call& call, Schedule& out) {
  linear_reduce(call.at, 0, call.bytes, out);
  linear_bcast(call.at, 0, call.bytes, out);
}

constexpr Algorithm kAllreduce[] = {
    {"basic_linear", linear_allreduce},
    {"nonoverlapping", nonoverlapping_allreduce},
    {"recursive_doubling", [](const Call& call, Schedule& out) { recursive_doubling_allreduce(call.at, call.bytes, out); }},
    {"ring", [](const Call& call, Schedule& out) { ring_allreduce(call.at, call.bytes, out); }},
    // The segment's default, 0, stands for the whole block, so that it is the ring.
    {"segmented_ring", [](const Call& call, Schedule& out) { ring_allreduce(call.at, call.bytes, out); }},
    {"rabenseifner", [](const Call& call, Schedule& out) { rabenseifner_allreduce(call.at, call.bytes, out); }},
};

int settle_allreduce(const Call& call, int number) {
  if (number == 6 && halves_badly(call)) return 1;
  const bool ring = number == 4 || number == 5;
  if (!ring) return number;
  return elements_of(call) < call.at.size ? 3 : 4;
}

void nonoverlapping_reduce_scatter(const Call& call, Schedule& out) {
  choose(call.as(Kind::reduce, call.blocks->total()), out);
  linear_scatter_blocks(call.at, *call.blocks, out);
}

constexpr Algorithm kReduceScatter[] = {
    {"non-overlapping", nonoverlapping_reduce_scatter},
    {"recursive_halving", [](const Call& call, Schedule& out) { recursive_halving_reduce_scatter(call.at, *call.blocks, out); }},
    {"ring", [](const Call& call, Schedule& out) { ring_reduce_scatter(call.at, *call.blocks, out); }},
    {"butterfly", [](const Call& call, Schedule& out) { butterfly_reduce_scatter(call.at, *call.blocks, out); }},
};

int settle_reduce_scatter(const Call& call, int number) { return call.commutative || number == 4 ? number : 1; }

void linear_reduce_scatter_block(const Call& call, Schedule& out) {
  choose(call.as(Kind::reduce, call.bytes * call.at.size), out);
  choose(call.as(Kind::scatter, call.bytes), out);
}

void butterfly_reduce_scatter_block(const Call& call, Schedule& out) {
  if (is_power_of_two(call.at.size)) return mirrored_halving_reduce_scatter(call.at, call.bytes, out);
  butterfly_reduce_scatter(call.at, *call.blocks, out);
}

constexpr Algorithm kReduceScatterBlock[] = {
    {"basic_linear", linear_reduce_scatter_block},
    {"recursive_doubling",
     [](const Call& call, Schedule& out) { recursive_doubling_reduce_scatter(call.at, *call.blocks, out); }},
    {"recursive_halving", [](const Call& call, Schedule& out) { recursive_halving_reduce_scatter(call.at, *call.blocks, out); }},
    {"butterfly", butterfly_reduce_scatter_block},
};

int settle_reduce_scatter_block(const Call& call, int number) { return number == 3 && !call.commutative ? 1 : number; }

constexpr Algorithm kGather[] = {
    {"basic_linear", [](const Call& call, Schedule& out) { linear_gather(call.at, call.root, call.bytes, out); }},
    {"binomial", [](const Call& call, Schedule& out) { binomial_gather(call.at, call.root, call.bytes, out); }},
    {"linear_sync", [](const Call& call, Schedule& out) { linear_sync_gather(call.at, call.root, call.bytes, kWhole, out); }},
};

constexpr Algorithm kScatter[] = {
    {"basic_linear", [](const Call& call, Schedule& out) { linear_scatter(call.at, call.root, call.bytes, out); }},
    {"binomial", [](const Call& call, Schedule& out) { binomial_scatter(call.at, call.root, call.bytes, out); }},
    {"linear_nb", [](const Call& call, Schedule& out) { linear_nb_scatter(call.at, call.root, call.bytes, out); }},
};

void gather_and_bcast(const Call& call, Schedule& out) {
  choose(call.as(Kind::gather, call.bytes), out);
  choose(call.as(Kind::bcast, call.bytes * call.at.size), out);
}

void recursive_doubling(const Call& call, Schedule& out) { recursive_doubling_allgather(call.at, call.bytes, out); }

constexpr Algorithm kAllgather[] = {
    {"linear", gather_and_bcast},
    {"bruck", [](const Call& call, Schedule& out) { bruck_allgather(call.at, *call.blocks, out); }},
    {"recursive_doubling", recursive_doubling},
    {"ring", [](const Call& call, Schedule& out) { ring_allgather(call.at, *call.blocks, out); }},
    {"neighbor", [](const Call& call, Schedule& out) { neighbor_exchange_allgather(call.at, *call.blocks, out); }},
    {"two_proc", [](const Call& call, Schedule& out) { ring_allgather(call.at, *call.blocks, out); }},
};

int settle_allgather(const Call& call, int number) {
  if (number == 3 && !is_power_of_two(call.at.size)) return 2;
  if (number == 5 && call.at.size % 2 != 0) return 4;
  return number == 6 && call.at.size != 2 ? 4 : number;
}

void gatherv_and_bcast(const Call& call, Schedule& out) {
  linear_gather_blocks(call.at, *call.blocks, out);
  Call bcast = call.as(Kind::bcast, call.blocks->total());
  bcast.one_element = true; // of an indexed type
  choose(bcast, out);
}

constexpr Algorithm kAllgatherv[] = {
    {"default", gatherv_and_bcast},
    {"bruck", [](const Call& call, Schedule& out) { bruck_allgather(call.at, *call.blocks, out); }},
    {"ring", [](const Call& call, Schedule& out) { ring_allgather(call.at, *call.blocks, out); }},
    {"neighbor", [](const Call& call, Schedule& out) { neighbor_exchange_allgather(call.at, *call.blocks, out); }},
    {"two_proc", [](const Call& call, Schedule& out) { ring_allgather(call.at, *call.blocks, out); }},
};

int settle_allgatherv(const Call& call, int number) {
  if (number == 4 && call.at.size % 2 != 0) return 3;
  return number == 5 && call.at.size != 2 ? 3 : number;
}

constexpr Algorithm kAlltoall[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_alltoall(call.at, call.bytes, out); }},
    {"pairwise", [](const Call& call, Schedule& out) { pairwise_alltoall(call.at, call.bytes, out); }},
    {"modified_bruck", [](const Call& call, Schedule& out) { bruck_alltoall(call.at, call.bytes, out); }},
    // Without a bound on requests: the linear one.
    {"linear_sync", [](const Call& call, Schedule& out) { linear_alltoall(call.at, call.bytes, out); }},
    {"two_proc", two_proc_alltoall},
    // What each of them does with MPI_IN_PLACE.
    {"basic_inplace", [](const Call& call, Schedule& out) { in_place_alltoall(call.at, call.bytes, true, out); }},
};

int settle_alltoall(const Call& call, int number) {
  if (call.in_place) return 6;
  return number >= 5 && call.at.size != 2 ? 2 : number;
}

constexpr Algorithm kAlltoallv[] = {
    {"basic_linear", [](const Call& call, Schedule& out) { linear_alltoallv(call.at, *call.sent, *call.received, out); }},
    {"pairwise", [](const Call& call, Schedule& out) { pairwise_alltoallv(call.at, *call.sent, *call.received, out); }},
    {"basic_inplace", [](const Call& call, Schedule& out) { in_place_alltoallv(call.at, *call.received, true, out); }},
};
int settle_alltoallv(const Call& call, int number) {
  if (call.in_place) return 3;
  return number == 3 ? 1 : number;
}

// coll/basic
constexpr Algorithm kAlltoallw[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_alltoallv(call.at, *call.sent, *call.received, out); }},
    {"inplace", kAlltoallv[2].append},
};
int settle_alltoallw(const Call& call, int /*number*/) { return call.in_place ? 2 : 1; }
constexpr Algorithm kGatherv[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_gatherv(call.at, call.root, call.bytes, call.received, out); }}};
constexpr Algorithm kScatterv[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_scatterv(call.at, call.root, call.bytes, call.sent, out); }}};
// coll/base lists these two under scan_algorithm and exscan_algorithm; the fixed rules leave both
// to coll/basic, which is linear.
constexpr Algorithm kScan[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_scan(call.at, call.bytes, out); }},
    {"recursive_doubling", [](const Call& call, Schedule& out) { recursive_doubling_scan(call.at, call.bytes, out); }},
};

constexpr Family kFamilies[] = {
    {Kind::barrier, kBarrier, openmpi::kBarrierRules},
    {Kind::bcast, kBcast, openmpi::kBcastRules, {}, {}, Measure::given, settle_bcast},
    {Kind::reduce, kReduce, openmpi::kReduceRules, openmpi::kReduceInOrderRules, {}, Measure::given, settle_reduce},
    {Kind::allreduce,
     kAllreduce,
     openmpi::kAllreduceRules,
     openmpi::kAllreduceInOrderRules,
     {},
     Measure::given,
     settle_allreduce},
    {Kind::reduce_scatter, kReduceScatter, openmpi::kReduceScatterRules, kFirst, {}, Measure::total, settle_reduce_scatter},
    {Kind::reduce_scatter_block,
     kReduceScatterBlock,
     openmpi::kReduceScatterBlockRules,
     kFirst,
     {},
     Measure::given,
     settle_reduce_scatter_block},
    {Kind::scan, kScan, kFirst},
    {Kind::exscan, kScan, kFirst},
    {Kind::gather, kGather, openmpi::kGatherRules},
    {Kind::gatherv, kGatherv, kFirst},
    {Kind::scatter, kScatter, openmpi::kScatterRules},
    {Kind::scatterv, kScatterv, kFirst},
    {Kind::allgather, kAllgather, openmpi::kAllgatherRules, {}, {}, Measure::sent, settle_allgather},
    {Kind::allgatherv, kAllgatherv, openmpi::kAllgathervRules, {}, {}, Measure::average, settle_allgatherv},
    {Kind::alltoall, kAlltoall, openmpi::kAlltoallRules, {}, {}, Measure::given, settle_alltoall},
    {Kind::alltoallv, kAlltoallv, openmpi::kAlltoallvRules, {}, {}, Measure::given, settle_alltoallv},
    {Kind::alltoallw, kAlltoallw, kFirst, {}, {}, Measure::given, settle_alltoallw},
};

} // namespace

std::span<const Family> openmpi_families() { return kFamilies; }

} // namespace farcast::collective
