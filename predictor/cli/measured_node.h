// Records of `farcast calibrate power`, `speed` and `collectives` in place of what platforms say.
#pragma once

#include "calib/study/block_record.h"
#include "calib/study/node_records.h"
#include "predictor/live/settings.h"
#include "predictor/platform/platform.h"

#include <optional>

namespace farcast::cli {

struct NodeRecords { // unset: the platform's own figures
  std::optional<study::PowerRecord> power;
  std::optional<study::ClockShare> clock;
  study::Provenance clock_from;
  std::optional<study::BlockRecord> blocks;
};

// Reads what --power, --speed and --blocks name. Errors: a file that cannot be read, or does not
// hold it.
base::Result<NodeRecords> read_records(const live::Settings& settings);
// The hosts get the watts of the first, in all of their processor states, and follow their clock by
// the second; the platform gets the block formulas of the third. Says so in the platform's
// warnings, which the report states as assumptions. Errors: a host that the record does not fit.
base::Result<void> use_records(const NodeRecords& records, const live::Settings& settings, platform::Platform& platform);

} // namespace farcast::cli
