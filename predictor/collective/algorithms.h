// The algorithms, one file per MPI operation: each appends the steps of the rank at `at` to `out`.
//
// In: the rank's place, the root, bytes; out: steps. `bytes` is the whole buffer, `block` one
// rank's part of it, `blocks` all parts, `segment` the size of a pipeline's messages (0: one
// message). Invariants: schedules of all ranks, given the same arguments but the place, match each
// other message by message, first in first out per (source, destination), and do not deadlock when
// every send waits for its receive; no rank sends to itself (moving a rank's own block is left to
// the caller); a single rank gets no step. Time and memory are O(steps of this rank), plus O(size)
// where blocks are listed. n, p below: bytes of the whole buffer, ranks.
//
// Sources: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in
// MPICH", 2005 (Thakur05); Bruck et al. 1997; Open MPI's coll/base and coll/basic for the order of
// a rank's steps.
#pragma once

#include "predictor/collective/blocks.h"
#include "predictor/collective/schedule.h"
#include "predictor/collective/steps.h"
#include "predictor/collective/tree.h"

#include <vector>

namespace farcast::collective {

// --- barrier: messages of 0 bytes; rounds: recursive doubling log2(p) (+2 when p is no power of
// two), dissemination ceil(log2 p)
void linear_barrier(Place at, Schedule& out);
void recursive_doubling_barrier(Place at, Schedule& out);
void dissemination_barrier(Place at, Schedule& out); // Open MPI's "bruck"
void tree_barrier(Place at, Schedule& out);
void double_ring_barrier(Place at, Schedule& out);

// --- bcast: (p-1) n bytes in all for the trees and the split binary tree
void linear_bcast(Place at, int root, double bytes, Schedule& out);
void tree_bcast(const Tree& tree, double bytes, double segment, Schedule& out);
void binomial_bcast(Place at, int root, double bytes, double segment, Schedule& out); // ceil(log2 p) rounds
void binary_bcast(Place at, int root, double bytes, double segment, Schedule& out);
void chain_bcast(Place at, int root, double bytes, double segment, int fanout, Schedule& out);
void pipeline_bcast(Place at, int root, double bytes, double segment, Schedule& out); // p - 2 + segments rounds
void knomial_bcast(Place at, int root, double bytes, double segment, int radix, Schedule& out);
void in_order_binomial_bcast(Place at, int root, double bytes, Schedule& out); // MPICH's binomial; ceil(log2 p) rounds
void split_binary_tree_bcast(Place at, int root, double bytes, double segment, Schedule& out);
// Thakur05 section 4.2: about 2 (p-1)/p n per rank
void scatter_ring_allgather_bcast(Place at, int root, double bytes, Schedule& out);
void scatter_doubling_allgather_bcast(Place at, int root, double bytes, Schedule& out);
// Their first half: rank r relative to the root ends with block r. Empty parts are not sent.
void binomial_scatter_phase(Place at, int root, const Blocks& blocks, Schedule& out);

// --- reduce: (p-1) n bytes in all; every rank but the root sends n
void linear_reduce(Place at, int root, double bytes, Schedule& out);
void tree_reduce(const Tree& tree, double bytes, double segment, Schedule& out);
void binomial_reduce(Place at, int root, double bytes, double segment, Schedule& out);
void binary_reduce(Place at, int root, double bytes, double segment, Schedule& out);
void chain_reduce(Place at, int root, double bytes, double segment, int fanout, Schedule& out);
void pipeline_reduce(Place at, int root, double bytes, double segment, Schedule& out);
void in_order_binary_reduce(Place at, int root, double bytes, double segment, Schedule& out); // for operators that do not commute
// Reduce-scatter by recursive halving, then a binomial gather. Thakur05 section 4.5. (p-1) n +
// (n/2) log2 p bytes in all at p = 2^k
void rabenseifner_reduce(Place at, int root, double bytes, Schedule& out);

// --- allreduce
void recursive_doubling_allreduce(Place at, double bytes, Schedule& out); // n log2 p per rank at p = 2^k
void ring_allreduce(Place at, double bytes, Schedule& out);               // 2 (p-1) n in all, 2 (p-1) rounds
void segmented_ring_allreduce(Place at, double bytes, double segment, Schedule& out);
void rabenseifner_allreduce(Place at, double bytes, Schedule& out); // Thakur05 section 4.5: 2 (p-1)/p n per rank at p = 2^k
// MPICH's forms of both: whole buffers are folded into the odd (reduce: even) rank of a pair, and
// one block per survivor moves.
void folded_rabenseifner_allreduce(Place at, double bytes, Schedule& out);
void folded_rabenseifner_reduce(Place at, int root, double bytes, Schedule& out);

// The two halves of the ring allreduce, also of use alone. Rank r ends with the whole of block r +
// 1 - first (mod p) reduced.
void ring_reduce_scatter_phase(Place at, const Blocks& blocks, int first, Schedule& out);
// Rank r starts with block r + start (mod p).
void ring_allgather_phase(Place at, const Blocks& blocks, int start, Schedule& out);

// --- reduce_scatter; blocks may differ
void recursive_halving_reduce_scatter(Place at, const Blocks& blocks, Schedule& out); // Thakur05 section 4.3; commutative
void ring_reduce_scatter(Place at, const Blocks& blocks, Schedule& out);              // commutative; (p-1) n in all
void linear_reduce_scatter(Place at, const Blocks& blocks, Schedule& out);            // linear reduce, then the second half:
void linear_scatter_blocks(Place at, const Blocks& blocks, Schedule& out);            // rank 0 sends each rank its block
void linear_gather_blocks(Place at, const Blocks& blocks, Schedule& out);             // its inverse
void pairwise_reduce_scatter(Place at, const Blocks& blocks, Schedule& out);          // commutative; p - 1 rounds
// For operators that do not commute too:
void recursive_doubling_reduce_scatter(Place at, const Blocks& blocks, Schedule& out);
void butterfly_reduce_scatter(Place at, const Blocks& blocks, Schedule& out);
void mirrored_halving_reduce_scatter(Place at, double block, Schedule& out); // log2 p rounds. Requires: size is a power of two

// --- scan and exscan send the same messages: rank r hears of all ranks below
void linear_scan(Place at, double bytes, Schedule& out);
void recursive_doubling_scan(Place at, double bytes, Schedule& out);

// --- gather and scatter
void linear_gather(Place at, int root, double block, Schedule& out);
// Open MPI's linear_sync: the root asks each rank in turn for a first segment, so that unexpected
// messages do not pile up there.
void linear_sync_gather(Place at, int root, double block, double first_segment, Schedule& out);
void binomial_gather(Place at, int root, double block, Schedule& out);
void linear_scatter(Place at, int root, double block, Schedule& out);
void linear_nb_scatter(Place at, int root, double block, Schedule& out); // all sends at once
void binomial_scatter(Place at, int root, double block, Schedule& out);
// counts[rank], at the root only (else null); `own` is this rank's block.
void linear_gatherv(Place at, int root, double own, const std::vector<double>* counts, Schedule& out);
void linear_scatterv(Place at, int root, double own, const std::vector<double>* counts, Schedule& out);
// All at once.
void linear_nb_gatherv(Place at, int root, double own, const std::vector<double>* counts, bool with_empty, Schedule& out);
void linear_nb_scatterv(Place at, int root, double own, const std::vector<double>* counts, bool with_empty, Schedule& out);

// --- allgather and allgatherv; blocks may differ. (p-1) n bytes in all, each of them
void recursive_doubling_allgather(Place at, double block, Schedule& out); // log2 p rounds. Requires: size is a power of two
void bruck_allgather(Place at, const Blocks& blocks, Schedule& out);      // ceil(log2 p) rounds. Thakur05 section 4.1
void ring_allgather(Place at, const Blocks& blocks, Schedule& out);       // p - 1 rounds
void linear_allgather(Place at, const Blocks& blocks, Schedule& out);     // all at once
void recursive_doubling_allgatherv(Place at, const Blocks& blocks, Schedule& out); // Requires: size is a power of two
void neighbor_exchange_allgather(Place at, const Blocks& blocks, Schedule& out);   // p / 2 rounds. Requires: size is even

// --- alltoall
void bruck_alltoall(Place at, double block, Schedule& out);        // ceil(log2 p) rounds. Thakur05 section 4.4
void linear_alltoall(Place at, double block, Schedule& out);       // all at once; sends begin with the rank before
void in_order_alltoall(Place at, double block, Schedule& out);     // all at once, to all ranks in the order 0, 1, ...
void pairwise_alltoall(Place at, double block, Schedule& out);     // p - 1 rounds
void xor_pairwise_alltoall(Place at, double block, Schedule& out); // MPICH's pairwise
void replacing_alltoall(Place at, double block, Schedule& out);    // MPICH's pairwise_sendrecv_replace, for MPI_IN_PLACE
void scattered_alltoall(Place at, double block, int throttle, Schedule& out); // linear in batches. Requires: throttle >= 1
// Open MPI's basic_inplace, and libnbc's (which sends to the right first): p - 1 exchanges in turn.
void in_place_alltoall(Place at, double block, bool left_first, Schedule& out);
// v and w: bytes to and from each rank; the linear one sends no empty block, and to the ranks in
// the order 0, 1, ..., as in Open MPI.
void pairwise_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, Schedule& out);
void linear_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, Schedule& out);
void scattered_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, int throttle,
                         Schedule& out);

// MPICH's pairwise_sendrecv_replace, for MPI_IN_PLACE.
void replacing_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, Schedule& out);
// As in_place_alltoall; each rank is sent as much as is received from it.
void in_place_alltoallv(Place at, const std::vector<double>& blocks, bool left_first, Schedule& out);

// --- neighbourhood collectives: everything at once to the neighbours. Neighbours of -1
// (MPI_PROC_NULL) are skipped, an edge to the rank itself is a copy. One block each when counts are
// null.
struct Neighborhood {
  const std::vector<int>& sources;
  const std::vector<int>& destinations;
  double sent_block;
  double received_block;
  const std::vector<double>* sent;     // [destination]
  const std::vector<double>* received; // [source]
};
void linear_neighbor_exchange(int rank, const Neighborhood& neighborhood, Schedule& out);

} // namespace farcast::collective
