// Open MPI's non-blocking collectives: coll/libnbc of Open MPI 4.1.4
// (ompi/mca/coll/libnbc/nbc_i*.c), with its default settings.
#include "predictor/collective/selector.h"

namespace farcast::collective {

namespace {

using Kind = trace::CollectiveKind;

constexpr Rule kFirst[] = {{kAny, kAny, 1}};

constexpr Algorithm kBarrier[] = {
    {"dissemination", [](const Call& call, Schedule& out) { dissemination_barrier(call.at, out); }}};

constexpr Algorithm kBcast[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_bcast(call.at, call.root, call.bytes, out); }},
    {"binomial", [](const Call& call, Schedule& out) { binomial_bcast(call.at, call.root, call.bytes, 0, out); }},
};
constexpr Rule kBcastRules[] = {{5, kAny, 1}, {kAny, kAny, 2}};

constexpr double kChainSegment = 8192;
constexpr Algorithm kReduce[] = {
    {"chain", [](const Call& call, Schedule& out) { chain_reduce(call.at, call.root, call.bytes, kChainSegment, 1, out); }},
    {"binomial", [](const Call& call, Schedule& out) { binomial_reduce(call.at, call.root, call.bytes, 0, out); }},
    {"rabenseifner", [](const Call& call, Schedule& out) { rabenseifner_reduce(call.at, call.root, call.bytes, out); }},
};
constexpr Rule kReduceRules[] = {{3, 65536, 2}, {3, kAny, 1}, {kAny, kAny, 2, Only::few_elements}, {kAny, kAny, 3}};
constexpr Rule kReduceInOrderRules[] = {{kAny, kAny, 2}};

constexpr Algorithm kAllreduce[] = {
    {"ring", [](const Call& call, Schedule& out) { ring_allreduce(call.at, call.bytes, out); }},
    {"binomial",
     [](const Call& call, Schedule& out) {
       binomial_reduce(call.at, 0, call.bytes, 0, out);
       binomial_bcast(call.at, 0, call.bytes, 0, out);
     }},
    {"rabenseifner", [](const Call& call, Schedule& out) { rabenseifner_allreduce(call.at, call.bytes, out); }},
};
constexpr Rule kAllreduceRules[] = {{4, kAny, 2}, {kAny, 65536, 2}, {kAny, kAny, 1, Only::few_elements}, {kAny, kAny, 3}};
constexpr Rule kAllreduceInOrderRules[] = {{kAny, kAny, 2}};
int settle_allreduce(const Call& call, int number) { return call.in_place ? 2 : number; }

void binomial_reduce_scatter(const Call& call, Schedule& out) {
  binomial_reduce(call.at, 0, call.blocks->total(), 0, out);
  rooted(
      call.at, 0, StepKind::isend, StepKind::receive, true, [&](int rank) { return call.blocks->size(rank); }, out);
}
constexpr Algorithm kReduceScatter[] = {{"binomial", binomial_reduce_scatter}};
constexpr Algorithm kScan[] = {{"linear", [](const Call& call, Schedule& out) { linear_scan(call.at, call.bytes, out); }}};
constexpr Algorithm kGather[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_gather(call.at, call.root, call.bytes, out); }}};
constexpr Algorithm kScatter[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_nb_scatter(call.at, call.root, call.bytes, out); }}};
constexpr Algorithm kGatherv[] = {{"linear", [](const Call& call, Schedule& out) {
                                     linear_nb_gatherv(call.at, call.root, call.bytes, call.received, true, out);
                                   }}};
constexpr Algorithm kScatterv[] = {{"linear", [](const Call& call, Schedule& out) {
                                      linear_nb_scatterv(call.at, call.root, call.bytes, call.sent, true, out);
                                    }}};
constexpr Algorithm kAllgather[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_allgather(call.at, *call.blocks, out); }}};
constexpr Algorithm kAlltoall[] = {
    {"linear", [](const Call& call, Schedule& out) { in_order_alltoall(call.at, call.bytes, out); }},
    {"inplace", [](const Call& call, Schedule& out) { in_place_alltoall(call.at, call.bytes, false, out); }},
};
int settle_in_place(const Call& call, int number) { return call.in_place ? 2 : number; }
constexpr Algorithm kAlltoallv[] = {
    {"linear", [](const Call& call, Schedule& out) { linear_alltoallv(call.at, *call.sent, *call.received, out); }},
    {"inplace", [](const Call& call, Schedule& out) { in_place_alltoallv(call.at, *call.received, false, out); }},
};

constexpr Family kFamilies[] = {
    {Kind::barrier, kBarrier, kFirst},
    {Kind::bcast, kBcast, kBcastRules},
    {Kind::reduce, kReduce, kReduceRules, kReduceInOrderRules},
    {Kind::allreduce, kAllreduce, kAllreduceRules, kAllreduceInOrderRules, {}, Measure::given, settle_allreduce},
    {Kind::reduce_scatter, kReduceScatter, kFirst},
    {Kind::reduce_scatter_block, kReduceScatter, kFirst},
    {Kind::scan, kScan, kFirst},
    {Kind::exscan, kScan, kFirst},
    {Kind::gather, kGather, kFirst},
    {Kind::gatherv, kGatherv, kFirst},
    {Kind::scatter, kScatter, kFirst},
    {Kind::scatterv, kScatterv, kFirst},
    {Kind::allgather, kAllgather, kFirst},
    {Kind::allgatherv, kAllgather, kFirst},
    {Kind::alltoall, kAlltoall, kFirst, {}, {}, Measure::given, settle_in_place},
    {Kind::alltoallv, kAlltoallv, kFirst, {}, {}, Measure::given, settle_in_place},
    {Kind::alltoallw, kAlltoallv, kFirst, {}, {}, Measure::given, settle_in_place},
};

} // namespace

std::span<const Family> openmpi_nonblocking_families() { return kFamilies; }

} // namespace farcast::collective
