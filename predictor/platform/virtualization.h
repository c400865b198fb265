// Virtual machines on the nodes of a platform: its figures with their overheads.
#pragma once

#include "predictor/platform/platform.h"

namespace farcast::platform {

// Messages between hosts, and of the loopback, take `communication` times as long: latencies,
// bandwidths, what senders and receivers pay, messages of a rank to itself, block formulas, L, o
// and g. Nodes draw `power` times as much. Says so in the platform's warnings. What the ordered
// channels' protocol costs beside links stays; computation is sim/cores.h's. Factors of 1 leave
// figures as they are, bit for bit. Requires: factors above 0.
void virtualize(Platform& platform, const VirtualOverheads& overheads);

} // namespace farcast::platform
