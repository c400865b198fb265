// What libfarcast-idle.so is told about the calling thread: a word of it, 0 at first.
#pragma once

namespace farcast::interpose {

inline constexpr unsigned kPollsOn = 0;  // the MPI library polls without a pause, as it would alone
inline constexpr unsigned kWaits = 1;    // a row of idle rounds turns into short sleeps; the word counts them from here
inline constexpr unsigned kYields = ~0u; // an idle round of MPICH's gives the core away, as one of Open MPI's does

} // namespace farcast::interpose
