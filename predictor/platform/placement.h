// Which rank runs on which core of the virtual cluster.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"

#include <string>
#include <vector>

namespace farcast::platform {

struct PlacementRequest {
  int ranks_per_node = 0;   // --ppn K; 0: as many as the host has cores
  bool round_robin = false; // --map-by node: rank r on host r mod hosts
  std::string hostfile;     // --hostfile FILE: lines `host [slots=N]`, `host:N`; empty: none
};

struct Placement {
  std::vector<HostId> host_of; // [rank]
  std::vector<int> core_of;    // [rank] core index within its host
  std::string description;     // e.g. "blocks of 12 ranks per node on 2 of 16 nodes"
};

// Returns: where each of `ranks` ranks runs: blocks that fill each host's cores by default.
// Errors: too few cores (says how many there are and how many are needed), unknown host, malformed hostfile line, hosts
// without a route between them.
base::Result<Placement> place(const Platform& platform, int ranks, const PlacementRequest& request);

} // namespace farcast::platform
