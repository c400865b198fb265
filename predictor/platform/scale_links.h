// A platform whose links are all so many times as fast, or as slow to begin.
#pragma once

#include "predictor/platform/platform.h"

namespace farcast::platform {

// Bandwidths and latencies of all links become that many times as large; 1 leaves the figures as
// they are, bit for bit. What messages cost beside links (factors, overheads, messages of a rank to
// itself) stays. Requires: factors above 0.
inline void scale_links(Platform& platform, double bandwidth, double latency) {
  for (Link& link : platform.links) {
    link.bandwidth = link.bandwidth * bandwidth;
    link.latency = link.latency * latency;
  }
}

} // namespace farcast::platform
