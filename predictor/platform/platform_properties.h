// What the properties of zones and clusters say about the whole platform: what carries its
// messages, where its figures come from.
//
//   farcast:transport         smpi, tcp-openmpi or rdma                       farcast:progress     in-call or async
//   farcast:eager_limit, farcast:eager_header, farcast:rts_bytes, farcast:cts_bytes, farcast:data_header, farcast:fin_bytes,
//   farcast:packet_payload, farcast:packet_overhead, farcast:socket_buffer    bytes (platform.h: Transport)
//   farcast:first_window                                                      packets
//   farcast:wakeup_latency, farcast:cold_call                                 times such as 12us; files of earlier versions call
//                             the former farcast:handling
//   farcast:blocking_spin, farcast:blocking_wakeup   times, of waits that give up their core (platform.h: Transport)
//   farcast:bulk_write, farcast:bulk_read                                     seconds per byte
//   farcast:shared_cores, farcast:shared_handling, farcast:waking_work, farcast:switch_waking_work, farcast:switch_notify_work,
//   farcast:switch_frame_work, farcast:switch_byte_work, farcast:switch_read_ahead
//                             of a test bed, in older files: one warning names them, and they have
//                             no effect
//   farcast:bw_factor_same_cache, farcast:lat_factor_same_cache, farcast:bw_factor_same_node,
//   farcast:lat_factor_same_node, farcast:bw_factor_same_switch, farcast:lat_factor_same_switch
//                             as smpi/bw-factor, for messages that stay near (platform.h: NearFactors)
//   farcast:self_message      as smpi/os: all that a message of a rank to itself takes (platform.h: PointToPoint)
//   farcast:reduction, farcast:copy   likewise: what reducing, or copying, so many bytes inside a collective takes
//   farcast:block_p2p, farcast:block_broadcast, farcast:block_scat, farcast:block_gather, farcast:block_a2a, farcast:block_bar,
//   farcast:block_rdisk, farcast:block_wdisk          T:K:D (model/block_formulas.h)
//   farcast:virtualization    computation:communication:power, factors (virtualization.h)
//   farcast:storage_host      name of the host whose disk has the files of all; without it each host has its own
//   farcast:description, farcast:source                                       one line each; the first of a file counts
//   farcast:uncertainty:NAME  how sure a calibration is (uncertainty.h)
//   farcast:provenance:NAME   what a calibration says about itself; kept as it stands
// Pure functions, any thread.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"
#include "predictor/platform/properties.h"

#include <string>
#include <vector>

namespace farcast::platform {

// Takes the properties above out of `properties`, and returns them.
Properties take_platform_properties(Properties& properties);

// Returns: their names, but for those of provenance.
std::vector<std::string> platform_property_names();

// Errors: name the place, what was found, what was expected; a property twice with different values.
base::Result<void> apply_platform_properties(const Properties& properties, Platform& platform);

} // namespace farcast::platform
