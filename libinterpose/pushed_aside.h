// Time in which a thread could have run and did not: it stood in the run queue, or its control
// group had no time left.
//
// Such time is neither computation nor waiting of the program, and goes out of the regions and
// local calls that it fell into; sleep and I/O stay. It is measured around those alone that last
// longer than kWorthwhileNs, beside one reading per kRefreshNs, so that what happens to short calls
// and regions is not booked on the next long one. Where ranks outnumber cores they give their cores
// away in each poll, for less than that: those are measured one by one (yields.cpp).
//   no voluntary switch since the last reading:  wall time - the thread's CPU time   (0.6 us, all system calls)
//   otherwise:                                   run_delay of /proc/thread-self/schedstat   (1.5 us more)
// Without that file an interval with voluntary switches keeps all of its time, and the rank's
// header says so. Wall time is CLOCK_MONOTONIC_RAW, not the time stamps: its rate is that of the
// CPU clock, whereas the time-stamp rate that is known here is good to 1e-4 only.
// Threads: each its own clock.
#pragma once

#include <cstdint>
#include <ctime>

namespace farcast::interpose {

inline constexpr double kWorthwhileNs = 20'000;
inline constexpr double kRefreshNs = 1'000'000;

struct AsideClock {           // a thread's readings
  std::uint64_t ticks = 0;    // when the last one was taken
  std::int64_t wall_ns = 0;   // CLOCK_MONOTONIC_RAW
  std::int64_t cpu_ns = 0;    // of this thread
  std::int64_t delay_ns = -1; // run_delay as it was last read; -1: unknown
  std::int64_t since_ns = 0;  // found since then without reading it
  std::int64_t voluntary = 0; // context switches of this thread's own will
  int schedstat = -1;         // descriptor
  std::uint64_t device = 0;   // what it is open on: the host may have closed it, and got its number for a file of its own
  std::uint64_t inode = 0;
  std::uint64_t yielded_ticks = 0; // in sched_yield (yields.cpp)
};

// Returns: what that clock of the system shows.
std::int64_t clock_ns(clockid_t clock);
// Opens what there is to read, and takes the first reading.
void start_aside(AsideClock& clock);
// Takes a reading. Returns: ns that the thread was pushed aside since the last one, sched_yield apart.
std::uint64_t read_aside(AsideClock& clock);
void stop_aside(AsideClock& clock);

} // namespace farcast::interpose
