// A platform file for a cluster of which a few figures are known, such that its times are these.
//
// Figures -> text in SimGrid's XML. A message of 0 B takes `latency` between two nodes, and one of n
// bytes alone latency + n / bandwidth: the factors by which SimGrid corrects its links for TCP over
// Ethernet are 1 in the file. Pure function.
#pragma once

#include "predictor/base/units.h"

#include <optional>
#include <string>

namespace farcast::platform {

struct NewCluster {
  int nodes = 0;
  int cores = 0;                            // of a node
  base::BytesPerSecond bandwidth{0.0};      // of a node's link, in each direction
  base::Seconds latency{0.0};               // between two nodes, one way
  base::BytesPerSecond node_bandwidth{5e9}; // within a node; the default is assumed
  base::Seconds node_latency{5e-7};         // likewise
  base::FlopsPerSecond speed{1e9};          // of a core; counts for traces, and against other hosts
  std::optional<base::Watts> idle{};        // of a node; unset: the file has no power figures
  std::optional<base::Watts> computing{};   // with all cores
};

// Returns: what SimGrid's envelope of each message takes: no latency can be less.
base::Seconds envelope_time(base::BytesPerSecond bandwidth);

// Returns: the file's text; its description says which figures are assumed. Requires: nodes, cores
// and bandwidths are above 0, latencies at least envelope_time().
std::string cluster_file(const std::string& name, const NewCluster& cluster);

} // namespace farcast::platform
