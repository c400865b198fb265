// What a node draws, by how many of its cores do what, at a frequency f: Heinrich17 eq. (1).
//
//   P = P_static(f) + sum over active cores of P_dynamic(f, w) / cores     some core is active
//     = P_idle(f)                                                          none is
// 1. The paper has one workload w for all cores and a load u: P_dynamic u with u = n / cores. Each
//    active core's share of it lets cores of several workloads stand beside each other.
// 2. Idle stands apart from static: an idle node may sleep deeper (IV-C). The figures printed for
//    Taurus contradict this: idle about 110 W (V-C2), beside 188 W probing and 214 W HPL, but static
//    about 92 W (V-C1, of fig. 9's idle nodes). A node would save energy by starting to compute. We
//    take idle = static = 92 W there; idle_above_one_core() finds such figures.
// 3. Between measured frequencies watts are interpolated linearly (ours); beyond them: an error.
// Threads: pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace farcast::model {

// w; computing: the program at hand (HPL is not LU), polling: inside blocking calls, probing: in
// loops of MPI_Iprobe or MPI_Test; memory: computing that waits for memory most of the time.
enum class Workload : std::uint8_t { computing, polling, probing, memory };
inline constexpr std::size_t kWorkloads = 4;

// Watts of the whole node at one frequency.
struct PowerState {
  base::Hertz frequency{0.0};                       // 0: not known, where there is one state only
  base::Watts idle;                                 // no core active
  base::Watts static_active;                        // P_static(f)
  std::array<base::Watts, kWorkloads> all_active{}; // [workload] P_static + P_dynamic
};

// Errors: negative watts; a workload below the static part.
base::Result<void> check(const PowerState& state);

// Returns: what one core in that workload adds to the static part. Requires: cores >= 1.
base::Watts dynamic_per_core(const PowerState& state, int cores, Workload workload);

// Returns: eq. (1) for cores in any states. Both spans: [state]; what one core in it adds to the static
// part, and how many cores are. Requires: spans of the same length, no negative number of cores.
base::Watts node_power(base::Watts idle, base::Watts static_active, std::span<const base::Watts> per_core,
                       std::span<const int> active);

// Returns: the same of the workloads. Requires: active[workload] >= 0, together at most `cores`.
base::Watts node_power(const PowerState& state, int cores, const std::array<int, kWorkloads>& active);

// Returns: whether the idle node draws more than with one computing core (see 2).
bool idle_above_one_core(const PowerState& state, int cores);

// Static part and all cores' watts from the paper's two runs of a workload, on one core and on all
// (IV-C).
struct TwoRuns {
  base::Watts static_active;
  base::Watts all_active;
};
// Errors: fewer than two cores, all cores below one, a static part below 0.
base::Result<TwoRuns> figures_of_two_runs(base::Watts one_core, base::Watts all_cores, int cores);

// Returns: the figures at a frequency between those of `states`, which ascend in frequency.
// Errors: no states, states out of order, a frequency outside theirs.
base::Result<PowerState> at_frequency(std::span<const PowerState> states, base::Hertz frequency);

} // namespace farcast::model
