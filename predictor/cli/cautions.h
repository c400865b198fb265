// Why the figures of a prediction may be far off, as sentences for Prediction::cautions: what `farcast calibrate check` finds
// faulty in the files that it rests on, without what hangs on the machine that it is asked on.
#pragma once

#include "predictor/platform/platform.h"
#include "predictor/region/slowdown_table.h"

#include <string>
#include <vector>

namespace farcast::cli {

struct RecordedProgram {
  std::string name;        // empty: not known, as in a trace
  std::string mpi_library; // "Open MPI", "MPICH"; empty: not known
};

// Returns: nothing for a platform that `farcast calibrate network` did not make.
std::vector<std::string> faults_of(const platform::Platform& platform, const RecordedProgram& program);
std::vector<std::string> faults_of(const region::SlowdownTable& slowdowns, const RecordedProgram& program);

} // namespace farcast::cli
