// How sure a calibration is of a platform's figures, and other figures that they might as well be.
//
//   farcast:uncertainty:bandwidth, :latency      standard errors of the links' figures, as shares of them
//   farcast:uncertainty:bulk_write, :bulk_read   standard errors, seconds per byte
//   farcast:uncertainty:cold_call                standard error, a time such as 0.1us
//   farcast:uncertainty:os, :ois, :or, :self_message, :reduction, :copy
//                             above:base:per_byte:correlation;...: standard errors of the line's parameters that holds above so
//                             many bytes, and how they hang together (-1 to 1)
//   farcast:uncertainty:watts                    IDLE:STATIC:COMPUTING[:POLLING[:PROBING[:MEMORY]]]: standard errors of all
//   nodes'
//             watts, as shares: with no core active, of the static part, with all cores computing, polling ...; what is left out
//             is as sure as what stands before it
//   farcast:uncertainty:clock_share, :relative_speed   standard errors: of farcast:clock_share; of farcast:relative_speed as a
//   share
// Pure functions, any thread.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"
#include "predictor/platform/properties.h"

#include <cstdint>
#include <string_view>

namespace farcast::platform {

// Returns: whether the name is one of those above.
bool is_uncertainty(std::string_view property);
// Errors: name the place, what was found, what was expected.
base::Result<void> apply_uncertainty(const Property& property, Uncertainty& uncertainty);

// Returns: the platform with figures drawn from their normal distributions, none below 0: the same
// member number gives the same deviations, in standard errors, on any platform (common draws).
// Links' rates move together, and their latencies, and the watts of all nodes.
Platform drawn(const Platform& platform, std::uint64_t member);

// Returns: by what a figure of that name is multiplied in a member; `error`: its standard error, as
// a share. Above 0.
double drawn_factor(std::uint64_t member, std::string_view figure, double error);

} // namespace farcast::platform
