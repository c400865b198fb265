// The formulas of a node with more threads than cores, as properties of hosts and clusters say them
// (Proficz16 Table 1; Table 3 has figures).
//
//   farcast:thread_times      T_min:T_low:T_hi:K_hi, seconds of one instruction; their ratios count
//   farcast:hardware_threads  P_hi; without it there are no hyper-threads, and T_low means nothing
//   farcast:thread_watts      PW_low:KW_low:PW_hi:KW_hi:PW_max of the node
// P_low is the number of cores. Pure function, any thread.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"
#include "predictor/platform/properties.h"

#include <optional>

namespace farcast::platform {

struct ThreadProperties { // null: not given
  const Property* times = nullptr;
  const Property* hardware_threads = nullptr;
  const Property* watts = nullptr;
};

// Returns: empty where nothing is given. Errors: name the place, what was found, what was expected.
base::Result<std::optional<ThreadFormulas>> read_thread_formulas(const ThreadProperties& given, int cores);

} // namespace farcast::platform
