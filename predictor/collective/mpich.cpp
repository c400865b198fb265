// MPICH 4.0: its algorithms by the names of its control variables, and the rules that choose among
// them.
//
// From MPICH 4.0.2: maint/tuning/coll/mpir/generic.json, and maint/tuning/coll/ch4/generic.json
// where nodes hold several members; src/mpi/coll/cvars.txt (ALLTOALL_THROTTLE). Whether an operator
// is built in is not recorded: one that commutes counts as built in. Bounds that the files give as
// "<= n" are "< n + 1" here.
#include "predictor/collective/node_layout.h"
#include "predictor/collective/selector.h"
#include "predictor/collective/two_level.h"

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

constexpr int kThrottle = 32;
constexpr Rule kFirst[] = {{kAny, kAny, 1}};

bool has_levels(const Call& call) { return call.context && call.context->nodes && call.context->nodes->two_levels(); }

// Starts the non-blocking call and waits for it.
void nb(const Call& call, Schedule& out) {
  Context context = *call.context;
  context.nonblocking = true;
  Call started = call;
  started.context = &context;
  choose(started, out);
}

// The `smp` algorithms are what the compositions of ch4 were made of; `nb` and `smp` are taken by
// name only.
constexpr Algorithm kBarrier[] = {
    {"dissemination", [](const Call& call, Schedule& out) { dissemination_barrier(call.at, out); }},
    {"composition_alpha", two_level_barrier},
    {"smp", two_level_barrier},
    {"nb", nb},
};
constexpr Rule kNodeBarrierRules[] = {{kAny, kAny, 2}};
int settle_barrier(const Call& call, int number) { return (number == 2 || number == 3) && !has_levels(call) ? 1 : number; }

void smp_bcast(const Call& call, Schedule& out) {
  constexpr double kShort = 12288; // BCAST_SHORT_MSG_SIZE, BCAST_LONG_MSG_SIZE, BCAST_MIN_PROCS
  constexpr double kLong = 524288;
  constexpr int kMinProcs = 8;
  if (call.bytes < kShort || call.at.size < kMinProcs) return two_level_bcast(call, out);
  if (call.bytes < kLong && is_power_of_two(call.at.size)) return root_node_first_bcast(call, out);
  scatter_ring_allgather_bcast(call.at, call.root, call.bytes, out);
}

constexpr Algorithm kBcast[] = {
    {"binomial", [](const Call& call, Schedule& out) { in_order_binomial_bcast(call.at, call.root, call.bytes, out); }},
    {"scatter_recursive_doubling_allgather",
     [](const Call& call, Schedule& out) { scatter_doubling_allgather_bcast(call.at, call.root, call.bytes, out); }},
    {"scatter_ring_allgather",
     [](const Call& call, Schedule& out) { scatter_ring_allgather_bcast(call.at, call.root, call.bytes, out); }},
    {"composition_alpha", two_level_bcast},
    {"composition_beta", root_node_first_bcast},
    {"smp", smp_bcast},
    {"nb", nb},
};
constexpr Rule kBcastRules[] = {{8, kAny, 1}, {kAny, 12289, 1}, {kAny, 524289, 2, Only::powers_of_two}, {kAny, kAny, 3}};
constexpr Rule kNodeBcastRules[] = {{8, kAny, 4}, {kAny, 12288, 4}, {kAny, 524288, 5, Only::powers_of_two}};

int settle_bcast(const Call& call, int number) { return number >= 4 && number <= 6 && !has_levels(call) ? 1 : number; }

// An operator that does not commute is reduced towards rank 0, in order.
void binomial(const Call& call, Schedule& out) {
  const int top = call.commutative ? call.root : 0;
  binomial_reduce(call.at, top, call.bytes, 0, out);
  if (top == call.root) return;
  if (call.at.rank == top) send(out, call.root, call.bytes);
  if (call.at.rank == call.root) receive(out, top, call.bytes);
}

constexpr Algorithm kReduce[] = {
    {"binomial", binomial},
    {"reduce_scatter_gather",
     [](const Call& call, Schedule& out) { folded_rabenseifner_reduce(call.at, call.root, call.bytes, out); }},
    {"composition_alpha", two_level_reduce},
    {"composition_beta", root_node_last_reduce},
    {"smp", root_node_last_reduce},
    {"nb", nb},
};
constexpr Rule kReduceRules[] = {{kAny, 2049, 1}, {kAny, kAny, 1, Only::few_elements}, {kAny, kAny, 2}};
constexpr Rule kNodeReduceRules[] = {{kAny, 2049, 4}, {kAny, kAny, 3}};

constexpr Algorithm kAllreduce[] = {
    {"recursive_doubling", [](const Call& call, Schedule& out) { recursive_doubling_allreduce(call.at, call.bytes, out); }},
    {"reduce_scatter_allgather",
     [](const Call& call, Schedule& out) { folded_rabenseifner_allreduce(call.at, call.bytes, out); }},
    {"composition_alpha", two_level_allreduce},
    {"smp", two_level_allreduce},
    {"nb", nb},
};
constexpr Rule kAllreduceRules[] = {{kAny, 9, 1}, {kAny, kAny, 1, Only::few_elements}, {kAny, kAny, 2}};
constexpr Rule kNodeAllreduceRules[] = {{kAny, kAny, 3}};
constexpr Rule kIallreduceRules[] = {{kAny, 2049, 1}, {kAny, kAny, 1, Only::few_elements}, {kAny, kAny, 2}};

int settle_halving(const Call& call, int number) {
  const int last = call.kind == Kind::reduce ? 6 : 5; // nb
  if (number >= 3 && number < last) return has_levels(call) && call.commutative ? number : 1;
  const bool unsuited = !call.commutative || elements_of(call) < floor_power_of_two(call.at.size);
  return number == 2 && unsuited ? 1 : number;
}

constexpr Algorithm kReduceScatter[] = {
    {"recursive_halving", [](const Call& call, Schedule& out) { recursive_halving_reduce_scatter(call.at, *call.blocks, out); }},
    {"pairwise", [](const Call& call, Schedule& out) { pairwise_reduce_scatter(call.at, *call.blocks, out); }},
    {"noncommutative",
     [](const Call& call, Schedule& out) { mirrored_halving_reduce_scatter(call.at, call.blocks->size(0), out); }},
    {"recursive_doubling",
     [](const Call& call, Schedule& out) { recursive_doubling_reduce_scatter(call.at, *call.blocks, out); }},
    {"nb", nb},
};
constexpr Rule kReduceScatterRules[] = {{kAny, 524288, 1}, {kAny, kAny, 2}};
constexpr Rule kReduceScatterInOrderRules[] = {{kAny, kAny, 3, Only::powers_of_two}, {kAny, kAny, 4}};

int settle_reduce_scatter(const Call& call, int number) {
  if (number <= 2 && !call.commutative) return 4;
  return number == 3 && !(is_power_of_two(call.at.size) && (!call.blocks || call.blocks->regular())) ? 4 : number;
}

constexpr Algorithm kScan[] = {
    {"recursive_doubling", [](const Call& call, Schedule& out) { recursive_doubling_scan(call.at, call.bytes, out); }},
    {"composition_alpha", two_level_scan},
    {"smp", two_level_scan},
    {"nb", nb},
};
constexpr Algorithm kExscan[] = {kScan[0], {"nb", nb}};
constexpr Rule kNodeScanRules[] = {{kAny, kAny, 2}};
int settle_scan(const Call& call, int number) { return (number == 2 || number == 3) && !consecutive_nodes(call) ? 1 : number; }

constexpr Algorithm kGather[] = {
    {"binomial", [](const Call& call, Schedule& out) { binomial_gather(call.at, call.root, call.bytes, out); }},
    {"nb", nb},
};
constexpr Algorithm kScatter[] = {
    {"binomial", [](const Call& call, Schedule& out) { binomial_scatter(call.at, call.root, call.bytes, out); }},
    {"nb", nb},
};
constexpr Algorithm kGatherv[] = {
    {"linear",
     [](const Call& call, Schedule& out) { linear_nb_gatherv(call.at, call.root, call.bytes, call.received, false, out); }},
    {"nb", nb},
};
constexpr Algorithm kScatterv[] = {
    {"linear",
     [](const Call& call, Schedule& out) { linear_nb_scatterv(call.at, call.root, call.bytes, call.sent, false, out); }},
    {"nb", nb},
};

constexpr Algorithm kAllgather[] = {
    {"recursive_doubling", [](const Call& call, Schedule& out) { recursive_doubling_allgatherv(call.at, *call.blocks, out); }},
    {"ring", [](const Call& call, Schedule& out) { ring_allgather(call.at, *call.blocks, out); }},
    {"brucks", [](const Call& call, Schedule& out) { bruck_allgather(call.at, *call.blocks, out); }},
    {"nb", nb},
};
constexpr Rule kAllgatherRules[] = {
    {kAny, 524288, 1, Only::powers_of_two}, {kAny, kAny, 2, Only::powers_of_two}, {kAny, 81920, 3}, {kAny, kAny, 2}};
int settle_allgather(const Call& call, int number) { return number == 1 && !is_power_of_two(call.at.size) ? 3 : number; }

constexpr Algorithm kAlltoall[] = {
    {"brucks", [](const Call& call, Schedule& out) { bruck_alltoall(call.at, call.bytes, out); }},
    {"scattered", [](const Call& call, Schedule& out) { scattered_alltoall(call.at, call.bytes, kThrottle, out); }},
    {"pairwise", [](const Call& call, Schedule& out) { xor_pairwise_alltoall(call.at, call.bytes, out); }},
    {"pairwise_sendrecv_replace", [](const Call& call, Schedule& out) { replacing_alltoall(call.at, call.bytes, out); }},
    {"nb", nb},
};
constexpr Rule kAlltoallRules[] = {{8, 32769, 2}, {8, kAny, 3}, {kAny, 257, 1}, {kAny, 32769, 2}, {kAny, kAny, 3}};
constexpr Rule kIalltoallRules[] = {{8, 32769, 2}, {8, kAny, 3}, {kAny, 2049, 1}, {kAny, 32769, 2}, {kAny, kAny, 3}};
int settle_alltoall(const Call& call, int number) { return call.in_place ? 4 : number; }

constexpr Algorithm kAlltoallv[] = {
    {"scattered",
     [](const Call& call, Schedule& out) { scattered_alltoallv(call.at, *call.sent, *call.received, kThrottle, out); }},
    {"pairwise_sendrecv_replace",
     [](const Call& call, Schedule& out) { replacing_alltoallv(call.at, *call.sent, *call.received, out); }},
    {"nb", nb},
};
int settle_alltoallv(const Call& call, int number) { return call.in_place ? 2 : number; }

constexpr Family kFamilies[] = {
    {Kind::barrier, kBarrier, kFirst, {}, kNodeBarrierRules, Measure::given, settle_barrier},
    {Kind::bcast, kBcast, kBcastRules, {}, kNodeBcastRules, Measure::given, settle_bcast},
    {Kind::reduce, kReduce, kReduceRules, kFirst, kNodeReduceRules, Measure::given, settle_halving},
    {Kind::allreduce, kAllreduce, kAllreduceRules, kFirst, kNodeAllreduceRules, Measure::given, settle_halving},
    {Kind::reduce_scatter,
     kReduceScatter,
     kReduceScatterRules,
     kReduceScatterInOrderRules,
     {},
     Measure::total,
     settle_reduce_scatter},
    {Kind::reduce_scatter_block,
     kReduceScatter,
     kReduceScatterRules,
     kReduceScatterInOrderRules,
     {},
     Measure::total,
     settle_reduce_scatter},
    {Kind::scan, kScan, kFirst, {}, kNodeScanRules, Measure::given, settle_scan},
    {Kind::exscan, kExscan, kFirst},
    {Kind::gather, kGather, kFirst},
    {Kind::gatherv, kGatherv, kFirst},
    {Kind::scatter, kScatter, kFirst},
    {Kind::scatterv, kScatterv, kFirst},
    {Kind::allgather, kAllgather, kAllgatherRules, {}, {}, Measure::total, settle_allgather},
    {Kind::allgatherv, kAllgather, kAllgatherRules, {}, {}, Measure::total, settle_allgather},
    {Kind::alltoall, kAlltoall, kAlltoallRules, {}, {}, Measure::given, settle_alltoall},
    {Kind::alltoallv, kAlltoallv, kFirst, {}, {}, Measure::given, settle_alltoallv},
    {Kind::alltoallw, kAlltoallv, kFirst, {}, {}, Measure::given, settle_alltoallv},
};

// Where the schedules of non-blocking calls are chosen by other rules. These do not look at nodes.
constexpr Family kNonblocking[] = {
    {Kind::barrier, kBarrier, kFirst},
    {Kind::allreduce, kAllreduce, kIallreduceRules, kFirst, {}, Measure::given, settle_halving},
    {Kind::alltoall, kAlltoall, kIalltoallRules, {}, {}, Measure::given, settle_alltoall},
};

} // namespace

std::span<const Family> mpich_families() { return kFamilies; }
std::span<const Family> mpich_nonblocking_families() { return kNonblocking; }

} // namespace farcast::collective
