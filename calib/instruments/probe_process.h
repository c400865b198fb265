// Runs the measuring program of this job's MPI library in the place of this rank.
//
// farcast itself is linked with no MPI library. mpirun started it as a rank; the probe takes that
// rank over: on all ranks but the first farcast becomes the probe, on the first the probe is its
// child, with the same environment and descriptors, and writes what it measures into a pipe.
// Nothing of it is on disk, so a killed run leaves nothing. The probe dies with farcast.
#pragma once

#include "calib/study/probe_output.h"
#include "predictor/base/result.h"

#include <cstdint>
#include <string>

namespace farcast::instruments {

struct ProbeRequest {
  std::string probe; // "network", "collectives"
  std::string mpi;   // "openmpi", "mpich"; empty: that of the launcher
  double duration_s = 60.0;
  std::int64_t max_bytes = 0;
  std::uint64_t seed = 1;
  std::string directory; // for files that are written and read; empty: none
  int least_ranks = 2;
};

struct ProbeFailure {
  std::string message; // empty: another rank tells
  int exit_code = 2;
};

// Returns: on the first rank what the probe measured, whole; on the others not at all when the
// probe could be started.
tl::expected<study::ProbeOutput, ProbeFailure> run_probe(const ProbeRequest& request);

// For the first rank when it cannot go on, and has said why. The other ranks are in MPI_Init
// already, so the probe takes this rank over to end them all, with exit code 2. Returns: only when
// nobody waits or there is no such probe.
void end_all_ranks(const ProbeRequest& request);

// Returns: what the MPI library here ("openmpi" or "mpich") calls itself; empty when its probe or
// the library is not there.
std::string installed_library(const std::string& mpi);

} // namespace farcast::instruments
