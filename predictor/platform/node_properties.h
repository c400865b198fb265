// What the properties of a <cluster> say about its nodes: power, relative speed, where the figures
// come from.
//
// Properties of a cluster -> NodeProperties. Read are SimGrid's wattage_per_state and wattage_off,
// and ours:
//   farcast:polling_watts, farcast:probing_watts      the node with all cores polling in blocking calls / in probe loops
//   farcast:memory_watts                              the node with all cores computing, bound by memory
//   farcast:frequencies                               GHz of each processor state, as 2.3,1.8,1.2 beside speed="a,b,c"
//   farcast:clock_share                               0 to 1: the share of computing that the clock rules (model/frequency_law.h)
//   farcast:sockets                                   of the node, each with as many neighbouring cores
//   farcast:dvfs_latency, farcast:throttle_latency    times such as 12us (platform.h: PowerSaving)
//   farcast:throttled_shares                          T4:T7, power of throttled cores against others, such as 0.5:0.12
//   farcast:thread_times, farcast:hardware_threads, farcast:thread_watts   more ranks than cores (thread_properties.h)
//   farcast:logp                                      L, o and g of its network by message size (logp_property.h)
//   farcast:relative_speed                            against the machine that the run was recorded on, in the first state
//   farcast:disk_read_bw, farcast:disk_write_bw       of the node's own disk, such as 200MBps; one alone stands for both
//   farcast:cores_per_cache                           that many neighbouring cores share a cache
//   farcast:failure_rate                              of the node, per second; 0: it never fails
//   farcast:link_wattage_range                        of a cluster: what each of its cables, up and down, and its backbone draw
//   farcast:loopback_sharing_policy                   SHARED or FATPIPE (SimGrid's, and the default)
// Those that speak of the whole platform are read by platform_properties.h.
// Any other farcast: property is an error, any other property a warning.
// Pure function, any thread. Source of the terms: SimGrid 3.32's host_energy plugin; Heinrich17 eq.
// (1).
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"
#include "predictor/platform/properties.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace farcast::platform {

struct NodeProperties {
  std::shared_ptr<const Processor> processor; // never null
  std::optional<double> relative_speed;
  std::optional<Sharing> loopback_sharing;
  std::optional<LinkPower> link_power; // of a cluster
  std::optional<Disk> disk;
  int cores_per_cache = 0; // 0: not said
  std::optional<base::Hertz> failure_rate;
};

// What the attributes of the element say.
struct NodeAttributes {
  int cores = 1;
  std::vector<base::FlopsPerSecond> speeds; // [processor state]
  std::size_t state = 0;                    // in use
  bool has_links = false;                   // a cluster
};

// Appends to `warnings` what is read and not modelled. Errors: name the place, what was found, what
// was expected.
// Requires: a speed for the state in use.
base::Result<NodeProperties> read_node_properties(const Properties& properties, const NodeAttributes& node,
                                                  std::vector<std::string>& warnings);

} // namespace farcast::platform
