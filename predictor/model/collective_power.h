// Power-aware collectives on nodes of several sockets: Kandalla10 eq. (1) to (8).
//
// In: a cluster of N nodes with c cores, one rank on each; out: the time of a call, and what its
// cores draw meanwhile, with all cores at work, at a lower frequency (DVFS around each call), or
// throttled in T-states:
//   alltoall(v)   in four phases, each socket half of the time in T7 (V-A)
//   bcast, reduce while the leaders communicate: their socket in T4, the others in T7 (V-B)
// Intra-node phases take no time, as in the paper (VI). The times are those of the equations: that
// all takes longer at f_min is not in them (printed: some 10 % in alltoall, 15 % in a bcast of
// 1 MB). Our readings stand beside each equation. Threads: pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"

#include <cstdint>

namespace farcast::model {

struct CollectiveCluster {
  int nodes = 1;                  // N
  int cores = 1;                  // c: of a node, each with a rank
  int sockets = 2;                // of a node; throttled whole
  base::BytesPerSecond bandwidth; // 1 / t_w-inter-node
  double contention = 1.0;        // C_net >= 1
};

struct ThrottleCosts {
  base::Seconds dvfs;           // O_dvfs; 10 to 15 us on Nehalem (II-A)
  base::Seconds throttle;       // O_throttle
  double leader_slowdown = 1.0; // C_throttle >= 1; 1 where single cores can be throttled
};

// Errors: a figure out of range; sockets that do not share the cores evenly.
base::Result<void> check(const CollectiveCluster& cluster);
base::Result<void> check(const ThrottleCosts& costs);

// What eq. (3) counts: N c or (N-1) c.
enum class Steps : std::uint8_t { as_printed, between_nodes };

// M bytes: of alltoall what each rank has for each other (alltoallv: in the mean), of bcast and
// reduce all. Require: check() of the arguments, bytes >= 0.

//   T = t_w (P - c) C_net M, P = N c                      (1)
// Counts the messages between nodes: (N-1) c of each rank.
base::Seconds alltoall_time(const CollectiveCluster& cluster, base::Bytes bytes);

//   T = M (N-1) t_w (1 + 1/N)                             (2)
// A scatter, then an allgather, between the leaders. The allgather moves blocks of M / N, so
// M (N-1) / N in all; printed is M (N-1), and kept. MPI_Reduce, for which there is no equation, is
// taken as the same backwards, without the operator's time.
base::Seconds leaders_time(const CollectiveCluster& cluster, base::Bytes bytes);

//   T = 3/4 t_w N c C_net M + 2 O_dvfs + N O_throttle     (3)
// Counts N c messages of each rank, c more than (1): between_nodes takes (N-1) c, which compares
// with (1). Phase 4 has two halves one after the other, and is printed with the time of phase 2:
// kept.
base::Seconds throttled_alltoall_time(const CollectiveCluster& cluster, const ThrottleCosts& costs, base::Bytes bytes,
                                      Steps steps);

//   T = (2) C_throttle + 2 O_dvfs + 2 O_throttle          (4)
base::Seconds throttled_leaders_time(const CollectiveCluster& cluster, const ThrottleCosts& costs, base::Bytes bytes);

// Eq. (5) to (8) are called power and are energies: integrals over the call's time of the sum over
// the N c cores of
//   p at f_max (5), p at f_min (6), p and from the midpoint on c_7 p (7),
//   c_4 p of one half of the cores and c_7 p of the other (8)
// The midpoint is printed t3'/2, read as (t1 + t3')/2. p is a core's dynamic power beside a static
// part that throttling leaves: of the whole node's power eq. (7) would save 0.44, printed are 1.8
// and 1.6 kW.

// Returns: c_j, what a core in T-state j draws against T0. c_7 is the printed activity of T7, 0.12.
// c_4 is not printed. Assumed: 0.5; T-states are steps of 1/8 of the clock, so c_j = 1 - j/8 below
// T7. Requires: 0 <= state <= 7.
double throttled_share(int state);

enum class PowerScheme : std::uint8_t {
  unthrottled,        // (5) and (6): all cores in T0
  throttled_alltoall, // (7): each core half of the time in T7
  leader_sockets,     // (8), for any number of sockets: the leader's in T4, the others in T7
  leader_cores,       // VI-B, "if future architectures": the leader in T0, all other cores in T7
};

// Returns: what the cores draw in the mean, against p at the same frequency.
// Requires: check(cluster); two sockets at least for throttled_alltoall.
double dynamic_share(PowerScheme scheme, const CollectiveCluster& cluster);

// Returns: (5) to (8) for a p that does not change meanwhile. Requires: check(cluster), time >= 0.
base::Joules collective_energy(PowerScheme scheme, const CollectiveCluster& cluster, base::Watts core, base::Seconds time);

} // namespace farcast::model
