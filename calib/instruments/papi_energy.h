// Energy counters of the processor through PAPI's component rapl: for nodes whose powercap files
// cannot be read.
//
// PAPI 7 is opened by dlopen and need not be there. Whether it can count is tried by counting.
// Threads: one at a time.
#pragma once

#include "calib/instruments/power_source.h"
#include "predictor/base/result.h"

#include <memory>

namespace farcast::instruments {

// All packages, and their memory where it has a counter. Errors: why PAPI cannot tell, in a few words.
base::Result<std::unique_ptr<PowerSource>> papi_energy();

} // namespace farcast::instruments
