// Which rank runs on which core of the virtual cluster.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"

#include <string>
#include <vector>

namespace farcast::platform {

struct PlacementRequest {
  int ranks_per_node = 0;   // --ppn K; 0: as many as the host has cores for
  bool round_robin = false; // --map-by node: rank r on host r mod hosts
  std::string hostfile;     // --hostfile FILE: lines `host [slots=N]`, `host:N`; empty: none
  int cpus_per_rank = 0;    // --cpus-per-rank N; 0: as many as was seen
  int cpus_seen = 1;        // that the threads of a rank used when it was recorded
  bool fewer_cpus = false;  // where so many as was seen do not fit: as many as do
};

struct Placement {
  std::vector<HostId> host_of; // [rank]
  std::vector<int> core_of;    // [rank] index of its first core within its host
  int cpus_per_rank = 1;       // cores of each rank, in a row from its first
  std::string description;     // e.g. "blocks of 12 ranks per node on 2 of 16 nodes"
};

// Returns: where each of `ranks` ranks runs: blocks that fill each host's cores by default. No core
// has two ranks; ranks beyond the cores of a host, which --ppn may ask for where it has
// ThreadFormulas, have numbers behind those of its cores.
// Errors: too few cores (says how many there are and how many are needed), unknown host, malformed
// hostfile line, hosts without a route between them.
base::Result<Placement> place(const Platform& platform, int ranks, const PlacementRequest& request);

// Hosts on which the placement has ranks beyond their cores get a core for each of them, and the
// formulas of ThreadFormulas hold for them (threads_beyond_cores()); says so in the platform's
// warnings. Such a host without watts for it has none any more. Requires: a placement on it.
void add_threads(Platform& platform, const Placement& placement);

} // namespace farcast::platform
