// SimGrid's <config> options that change its point-to-point model.
//
// Properties of <config> -> changes of PointToPoint. Factors are "bytes:factor;..." or one number
// for all sizes, overheads "bytes:base:per_byte;...". Both the names of SimGrid 3.32
// (smpi/bw-factor) and the newer ones (network/bandwidth-factor). Options that are known to change
// SimGrid's result and are not modelled are warnings, never passed over in silence. Pure functions,
// any thread. Source: SimGrid's manual, "Configuring SimGrid".
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"
#include "predictor/platform/properties.h"

#include <string>
#include <string_view>
#include <vector>

namespace farcast::platform {

// Errors: "found ..., expected ..." without the place. Up to the first boundary the factor is 1 and
// the overhead 0.
base::Result<Factor> parse_factor(std::string_view text);
base::Result<Overhead> parse_overhead(std::string_view text);

// Appends to `warnings` the options that are not modelled. Errors name the place.
base::Result<void> apply_config(const Properties& options, PointToPoint& p2p, std::vector<std::string>& warnings);

} // namespace farcast::platform
