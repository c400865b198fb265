// Why the figures of a prediction may be far off, as sentences for Prediction::cautions: what `farcast calibrate check` finds
// faulty in the files that it rests on, without what hangs on the machine that it is asked on.
#pragma once

#include "predictor/platform/platform.h"
#include "predictor/region/slowdown_table.h"

#include <string>
#include <vector>

namespace farcast::study {

// Of a platform that `farcast calibrate network` made, and of slowdowns of regions where some are given (not null). `program` and
// `mpi_library` ("Open MPI", "MPICH") are of the recorded run; empty: not known, as in a trace.
std::vector<std::string> faults_of(const platform::Platform& platform, const region::SlowdownTable* slowdowns,
                                   const std::string& program, const std::string& mpi_library);

} // namespace farcast::study
