// How long a message takes on a platform, by playing it: what the figures of its file come to.
//
// Platform -> the engine's one-way time of one message alone, from the begin of its send to the end
// of its receive, nothing left to chance, connections open. Pure functions.
#pragma once

#include "predictor/platform/platform.h"

#include <string>
#include <vector>

namespace farcast::cli {

struct PairOfHosts {
  std::string name; // "far", "near", "same node", "self"
  platform::HostId from = 0;
  platform::HostId to = 0;
  bool self = false; // one rank to itself
};

// Returns: the pairs that the platform has: from its first host to the one with the largest latency
// (far) and to the one with the least (near, where that is another), within it (where it has two
// cores), and to itself. Requires: its routes have been checked.
std::vector<PairOfHosts> pairs_to_show(const platform::Platform& platform);

// Returns: seconds.
base::Seconds message_time(const platform::Platform& platform, const PairOfHosts& pair, double bytes);

} // namespace farcast::cli
