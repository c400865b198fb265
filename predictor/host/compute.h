// How long a measured computation takes on a core of the virtual cluster.
//
// measured time, relative speed -> virtual time. What co-runners do to regions is region/slowdowns.h. Which relative speed holds:
// the option --relative-speed, else the host's farcast:relative_speed, else 1 (computation is as fast as measured; SimGrid's
// speed attribute is not used). Pure functions, any thread. Source: Soares16 (relative speed of processors).
#pragma once

#include "predictor/base/units.h"
#include "predictor/platform/platform.h"

#include <cstdint>
#include <optional>

namespace farcast::host {

// Requires: `option`, when set, is above 0. Returns: speed relative to the machine that the run was recorded on, above 0.
double relative_speed(const platform::Host& host, std::optional<double> option);

// Returns: measured / relative_speed. Requires: relative_speed > 0.
base::Seconds corrected_compute(base::Seconds measured, double relative_speed);

// Which relative speed holds, and who says so.
struct ComputeSpeed {
  enum class Source : std::uint8_t {
    nobody,   // cores are as fast as measured
    option,   // --relative-speed
    platform, // farcast:relative_speed of its hosts
    trace,    // flops of a trace, at the speed of the platform's own hosts
  };
  Source source = Source::nobody;
  double slowest = 1.0; // of the hosts
  double fastest = 1.0;
};
ComputeSpeed compute_speed(const platform::Platform& platform, std::optional<double> option);

} // namespace farcast::host
