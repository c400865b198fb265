// What a node draws under load steps: power readings in time -> samples per step -> models, a
// table, and the file that holds them.
//
// Readings come from a wattmeter's log (seconds since 1970, watts) or from the processor's energy
// counters; a step is a workload on some cores for a while. The file is JSON:
//   {"farcast_calibration": "power", "version": 1, "provenance": {NAME: TEXT, ...}, "notes": [TEXT,
//   ...], "source": TEXT,
//    "steps": [{"workload", "active_cores", "frequency_hz", "watts", "deviation_w", "readings"},
//    ...], "models": [{"model", "fitted", "reason", "r_squared", "samples", "cross_rms_w",
//    "cross_samples"}, ...], "best": TEXT, "properties": {"wattage_per_state": "IDLE:STATIC:ALL",
//    "farcast:polling_watts": W, "farcast:probing_watts": W, "farcast:memory_watts": W}}
// Threads: pure functions. Source: Heinrich17 eq. (1), Proficz16 Table 1, Balladini13 3.1
// (calib/fit/power.h).
#pragma once

#include "calib/fit/power.h"
#include "calib/study/provenance.h"
#include "predictor/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farcast::study {

struct PowerReading {
  double time_s = 0.0; // since 1970
  double watts = 0.0;  // of the node from the reading before until this one, or at this moment: it makes no difference here
};

// A log of lines `time,watts`: time in seconds since 1970, or as 2026-01-31T12:00:00[.5][Z] (UTC).
// A first line of words is passed over; `#` begins a comment. Errors: file, line, what was found,
// what was expected; times that go back.
base::Result<std::vector<PowerReading>> read_power_log(std::string_view text, const std::string& file_name);

struct LoadStep {
  std::string workload; // "idle", "compute", "memory", "polling", "probing"
  int active_cores = 0;
  double frequency_hz = 0.0; // that its cores were set to; 0: they were not set
  double running_hz = 0.0;   // of the first active core, as the kernel told it meanwhile; 0: unknown
  double begin_s = 0.0;      // since 1970
  double end_s = 0.0;
  // From the readings within it, the first fifth left out:
  double watts = 0.0;
  double deviation_w = 0.0;
  std::size_t readings = 0;
};

struct PowerCalibration {
  std::vector<LoadStep> steps;
  fit::PowerFit fit;
  std::vector<std::pair<std::string, std::string>> properties; // of the node, for a platform file
  std::vector<std::string> notes;
  std::string source;
};

// Gives steps whose clock nobody set one frequency, the median of what the kernel told while cores
// were active (1 GHz: it told nothing, and one frequency is like another then). Returns: what is to
// be said of the clocks, set or not: steps whose clock was further than a tenth from its frequency.
std::vector<std::string> settle_frequencies(std::vector<LoadStep>& steps);
// Requires: frequencies above 0. Errors: steps without readings (names the first), and those of
// fit::fit_power.
base::Result<PowerCalibration> calibrate_power(std::vector<LoadStep> steps, std::span<const PowerReading> readings, int cores,
                                               std::string source);
std::string power_table(const PowerCalibration& calibration);
std::string power_file(const PowerCalibration& calibration, const Provenance& provenance);

} // namespace farcast::study
