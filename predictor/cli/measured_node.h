// Records of `farcast calibrate power` and `farcast calibrate speed` in place of what platforms say.
#pragma once

#include "calib/study/node_records.h"
#include "predictor/live/settings.h"
#include "predictor/platform/platform.h"

#include <optional>

namespace farcast::cli {

struct NodeRecords { // unset: the platform's own figures
  std::optional<study::PowerRecord> power;
  std::optional<study::ClockShare> clock;
  study::Provenance clock_from;
};

// Reads what --power and --speed name. Errors: a file that cannot be read, or does not hold it.
base::Result<NodeRecords> read_records(const live::Settings& settings);
// The hosts get the watts of the one, in all of their processor states, and follow their clock by the
// other. Says so in the platform's warnings, which the report states as assumptions. Errors: a host
// that the record does not fit.
base::Result<void> use_records(const NodeRecords& records, const live::Settings& settings, platform::Platform& platform);

} // namespace farcast::cli
