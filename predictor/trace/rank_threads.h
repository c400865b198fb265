// The threads of a rank: how many computed, which cores they might use, and how many cores a rank
// of the run needs.
//
// The interposer counts them (libinterpose/other_threads.h); those of the MPI library are left out.
// Pure functions.
#pragma once

#include "libinterpose/stream/record.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace farcast::trace {

struct Recording;

struct RankThreads {
  int program = 0;                  // at MPI_Finalize; 0: it was not reached, or nobody asked
  int computing = 0;                // of these, that used the processor noticeably
  double peak_cores = 0;            // most that were busy at a time; 0: no other thread computed
  std::vector<std::uint64_t> cores; // bits, 64 a word: cores of the node that they might use; empty: unknown
};

// Returns: cores that the rank's threads might use; 0: unknown.
int cores_allowed(const RankThreads& threads);
// Returns: threads that computed at a time, at least 1. Those that ended before MPI_Finalize are
// known by the cores that they kept busy, to the nearest whole number.
int threads_at_a_time(const RankThreads& threads);
// Returns: as many cores as the threads of each rank used: the most of any rank, at least 1. More
// threads than a rank had cores for used those cores. Requires: the recording is complete.
int cores_per_rank(const Recording& recording);

// Returns: seconds of cores that the other threads used beyond the recording thread's, whose
// computation took `compute_s`: while it slept, waiting for them, they used its core. `others` ends
// with that computation.
double others_beyond(const stream::Others& others, double compute_s);
// Returns: of `others`, which end with a call of `call_s`, what lay before that call and what in it.
std::pair<double, double> split_at_call(const stream::Others& others, double call_s);

} // namespace farcast::trace
