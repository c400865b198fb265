// How fast a node's cores compute: times of kernels (calib/kernels), the file that holds them, and
// a table for people.
//
// A record is what one node did; what it means shows beside another one (speed_comparison.h). The
// file is JSON:
//   {"farcast_calibration": "speed", "version": 1, "provenance": {NAME: TEXT, ...}, "notes": [TEXT,
//   ...], "kernels": TEXT, "cores": N,
//    "measurements": [{"kernel", "bound", "bytes", "cores", "frequency_hz", "seconds_per_unit": [S,
//    ...]}, ...], "frequency_laws": [{"kernel", "bytes", "cores", "clock_share", "low", "high",
//    "seconds_at_max", "r_squared"}, ...]}
// frequency_hz: that all cores were set to; 0: nobody set them. frequency_laws follow from the
// measurements and are not read.
// Threads: pure functions.
#pragma once

#include "calib/fit/frequency_law.h"
#include "calib/study/provenance.h"
#include "predictor/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::study {

struct SpeedMeasurement {
  std::string kernel;
  std::string bound;       // "compute", "memory", "latency"
  std::uint64_t bytes = 0; // of each core's data; 0: registers
  int cores = 1;           // that did the same at the same time
  double frequency_hz = 0.0;
  std::vector<double> seconds; // of one core for one unit of work, per repetition, above 0
};

struct SpeedRecord {
  Provenance provenance;
  std::string kernels; // version and compiler; what stands before the comma is the version of work and data
  int cores = 1;       // of the node
  std::vector<std::string> notes;
  std::vector<SpeedMeasurement> measurements;
};

struct SpeedLaw { // of one kernel on some cores
  std::string name;
  std::string bound;
  std::uint64_t bytes = 0;
  std::string kernel;
  int cores = 1;
  fit::FrequencyLaw law;
};

// Returns: the time that a quarter of the repetitions stay below, with its 95 % interval. Other
// programs only ever add time, and often to many repetitions in a row: on a busy machine this
// repeats within 2 %, the median within 4 %. Scatter to both sides that differs between two nodes
// would move R_P by two thirds of the difference; on a quiet machine it is below 1 %.
fit::Estimate time_of(const SpeedMeasurement& measurement);
inline constexpr double kTypicalPercent = 25.0;
// Returns: "triad 24 KiB"; without the size for a kernel in registers.
std::string name_of(const SpeedMeasurement& measurement);
// Returns: the laws of all that was measured at three frequencies or more, in the order of the record.
std::vector<SpeedLaw> frequency_laws(const SpeedRecord& record);

std::string speed_file(const SpeedRecord& record);
// Errors: not such a file, another version, a figure that cannot be; what was found and what was
// expected.
base::Result<SpeedRecord> read_speed_file(std::string_view text, const std::string& file_name);
// Times with their intervals, at the highest frequency.
std::string speed_table(const SpeedRecord& record);
// The share of the time that the clock rules, and how fast lower frequencies are against the
// highest. Empty without laws.
std::string law_table(const SpeedRecord& record);

} // namespace farcast::study
