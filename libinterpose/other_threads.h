// The threads of this process: what they compute beside the one that calls MPI, how many they are,
// which cores they may use.
//
// Threads that came while MPI_Init or an MPI-IO call ran are the MPI library's (progress, PMIx, UCX;
// glibc's for asynchronous files, behind ROMIO): they do not count, and their CPU time is taken out
// by a clock of their own. What the others used is read beside the readings of pushed_aside.h that
// end a long region or call, at most once per kOthersNs:
//   CPU time of the process - of the MPI library's threads - of the thread that reads      (0.5 us, 0.2 us more per such thread)
// Less than kNoticedShare of one core is none, so that a program without threads records nothing here.
// How many threads computed is asked of each thread's own clock when MPI_Finalize is entered; those
// that ended before are seen by the cores that were busy at a time (RankHeader::peak_cores).
// Nothing is allocated; errno stays.
// Threads: for the rank's first recording thread alone. A thread that another thread of the program
// starts while that one is inside MPI-IO is taken for the library's.
#pragma once

#include "libinterpose/pushed_aside.h"
#include "libinterpose/stream/record.h"

namespace farcast::interpose {

inline constexpr std::int64_t kOthersNs = 2'000'000;
inline constexpr std::int64_t kPeakNs = 10'000'000; // intervals from here on tell how many cores were busy at a time
inline constexpr std::int64_t kNoticedShare = 100;  // 1 / 100 of the interval

// Before and after the real MPI_Init.
void note_own_threads();
void note_library_threads();
// Before and after the real call of MPI-IO: 1 us each where no thread came or went.
void note_threads_before_file_call();
void note_threads_after_file_call();
// `own`: of the calling thread, just read. Returns: what the others used since the last such
// reading; ns = 0: nothing, or it is too early to ask.
stream::Others read_others(const AsideClock& own);
// MPI_Finalize is entered: fills in what the rank's header says of threads and cores.
void count_threads();

} // namespace farcast::interpose
