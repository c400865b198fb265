// What the properties of a <cluster> say about its nodes: power, relative speed, where the figures come from.
//
// Properties of a cluster -> NodeProperties. Read are SimGrid's wattage_per_state and wattage_off, and ours:
//   farcast:polling_watts, farcast:probing_watts      the node with all cores polling in blocking calls / in probe loops
//   farcast:relative_speed                            against the machine that the run was recorded on
//   farcast:disk_read_bw, farcast:disk_write_bw       of the node's own disk, such as 200MBps; one alone stands for both
//   farcast:cores_per_cache                           that many neighbouring cores share a cache
//   farcast:loopback_sharing_policy                   SHARED or FATPIPE (SimGrid's, and the default)
// Those that speak of the whole platform are read by platform_properties.h.
// Any other farcast: property is an error, any other property a warning.
// Pure function, any thread. Source of the terms: SimGrid 3.32's host_energy plugin; Heinrich17 eq. (1).
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"
#include "predictor/platform/properties.h"

#include <optional>
#include <string>
#include <vector>

namespace farcast::platform {

struct NodeProperties {
  // polling without a figure takes the probing one, else the computing one, and polling_assumed says so;
  // probing without a figure takes the polling one, else the computing one.
  std::optional<NodePower> power;
  std::optional<double> relative_speed;
  std::optional<Sharing> loopback_sharing;
  std::optional<Disk> disk;
  int cores_per_cache = 0; // 0: not said
};

// Appends to `warnings` what is read and not modelled. Errors: name the place, what was found, what was expected.
// `state`: the processor state in use, an index of wattage_per_state.
base::Result<NodeProperties> read_node_properties(const Properties& properties, int cores, std::vector<std::string>& warnings,
                                                  std::size_t state = 0);

} // namespace farcast::platform
