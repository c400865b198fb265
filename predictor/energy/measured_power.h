// Measured watts of a node in place of those that a platform says.
//
// Watts by frequency (model/node_power.h; calib/study/node_records.h reads them) -> the power of
// every host at the clock of the state that it is in. Pure function.
#pragma once

#include "predictor/base/result.h"
#include "predictor/model/node_power.h"
#include "predictor/platform/platform.h"

#include <span>

namespace farcast::energy {

struct MeasuredPower {
  std::span<const model::PowerState> states; // ascending in frequency, not empty
  int cores = 1;                             // of the node that was measured
  bool polling_measured = true;
  bool memory_measured = false;
};

// A host that names no frequencies takes the highest one's. Between frequencies watts are
// interpolated. Processor states that the host is not in take theirs too, or none where their clock
// was not measured. Errors: a host with another number of cores, or with a clock outside of those that
// were measured; the platform is then as before.
base::Result<void> use_measured_power(platform::Platform& platform, const MeasuredPower& measured);

} // namespace farcast::energy
