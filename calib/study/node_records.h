// What a prediction takes of the records of a node: watts by frequency (`calibrate power`), and how
// much of the time the clock rules (`calibrate speed`).
//
// Text of a file -> figures. Threads: pure functions.
#pragma once

#include "calib/fit/power.h"
#include "calib/study/speed_record.h"
#include "predictor/base/result.h"
#include "predictor/model/node_power.h"
#include "predictor/platform/platform.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::study {

struct PowerRecord {
  Provenance provenance;
  std::string source; // of the readings
  int cores = 0;      // of the node, as many as were active at once
  // Heinrich17 eq. (1) at each frequency that has idle and computing steps, ascending.
  std::vector<model::PowerState> states;
  bool polling_measured = false; // at all of them; else polling takes the watts of computing, probing those of polling
  bool memory_measured = false;  // at all of them; else memory-bound computing takes the watts of other
  // Standard errors of the fit, of the least sure frequency; unset: there are no more steps than
  // the formula has parameters.
  std::optional<platform::WattErrors> errors{};
};
// Fits eq. (1) to the steps of the file. Errors: not such a file, a figure that cannot be, no
// frequency with idle and computing steps.
base::Result<PowerRecord> read_power_file(std::string_view text, const std::string& file_name);

// Standard errors of the fitted watts of a node of that many cores, as shares of them. Requires:
// idle and computing steps.
// Returns: unset where the steps do not tell an error.
std::optional<platform::WattErrors> errors_of(const fit::HeinrichPower& power, int cores);

struct ClockShare { // b of T(f) = T(fmax) (1 + b (fmax / f - 1)) for a program that nobody knows
  double share = 1.0;
  double low = 1.0;                // from the lowest end of any group's interval
  double high = 1.0;               // to the highest; 95 %
  std::vector<std::string> groups; // what bounds the kernels
};
// All cores at once where that was measured, else one. Kernels bound by the same have equal weight in
// their group, groups have equal weight (as in speed_comparison.h). Errors: no kernel was measured at
// three frequencies.
base::Result<ClockShare> clock_share_of(const SpeedRecord& record);

} // namespace farcast::study
