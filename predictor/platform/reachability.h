// Whether the hosts that a run uses can all send messages to each other.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"

#include <vector>

namespace farcast::platform {

// `hosts`: of the ranks; a host may be there several times, and then needs a way to itself.
// Errors: two hosts without a route. Zones whose shape cannot lack one are not looked through host
// by host.
base::Result<void> check_routes(const Platform& platform, const std::vector<HostId>& hosts);

} // namespace farcast::platform
