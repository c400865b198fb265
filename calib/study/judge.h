// Whether a calibration is worth resting a prediction on.
//
// Text of a calibration file (platform XML of `calibrate network`, JSON of `calibrate collectives`,
// `power` and `speed`) -> CalibrationRecord; that and what is installed here -> findings. A fault
// means: measure again; a remark does not. Threads: pure functions.
#pragma once

#include "calib/study/provenance.h"
#include "predictor/base/result.h"
#include "predictor/model/finding.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farcast::study {

struct CalibrationRecord {
  std::string kind; // "network", "collectives", "power", "speed"
  Provenance provenance;
  std::vector<SectionQuality> sections; // of a collective: one, its curve the block's name; of speed: one per kernel and cores
  std::vector<std::string> notes;
  std::string kernels{}; // of speed: version and compiler
  // Of network: figures that a calibration of this version would have given, named as in the file.
  std::vector<std::string> missing{};
};

struct Surroundings {
  std::string host;
  std::vector<std::string> libraries; // MPI libraries installed here, as they name themselves
  std::string program;                // that is to be predicted; empty: not said
  std::string program_library;        // "openmpi", "mpich"; empty: none
  std::string cpu{};                  // model name
  std::string kernels{};              // that `calibrate speed` would run here
};

// Errors: not a calibration file, a damaged one; "found ..., expected ..." with the place.
base::Result<CalibrationRecord> read_calibration(std::string_view text, const std::string& file_name);
// The same of a platform's properties farcast:provenance:NAME, as (name, value).
base::Result<CalibrationRecord> calibration_of(const std::vector<std::pair<std::string, std::string>>& entries,
                                               const std::string& file_name);
// Faults first. Empty: nothing to say against it.
std::vector<model::Finding> judge(const CalibrationRecord& record, const Surroundings& here);

} // namespace farcast::study
