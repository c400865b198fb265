// When the processes of a job leave MPI_Init: not at the same time, and that decides which of two
// partners asks first.
//
// The launcher stands on the first host. Its word that all processes are there (the end of
// PMIx_Fence) goes over the network to the daemon of each other host, which hands it to its
// processes: they are later by the latency of the way and by what daemons and processes take longer
// than those of the first host. Seen with Open MPI 4.1.4 on hosts 1 ms apart: 1.07 to 1.36 ms,
// another time in each run. Threads: pure functions.
#pragma once

#include "predictor/sim/chance.h"
#include "predictor/sim/setting.h"

namespace farcast::sim {

inline constexpr double kDaemonNoise = 200e-6; // s: up to so much later, uniformly

// Returns: how much later than the first the process goes on after MPI_Init, in seconds; 0 where
// nothing is left to chance.
inline double late_start_s(const Setting& setting, std::uint32_t rank) {
  const platform::HostId first = setting.host_of(0), host = setting.host_of(rank);
  if (setting.options.seed == 0 || host == first) return 0;
  return std::max(0.0, setting.platform.route(first, host).latency.value()) +
         kDaemonNoise * Chance(setting.options.seed).start(host);
}

} // namespace farcast::sim
