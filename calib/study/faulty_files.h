// The files that a prediction rests on and that `farcast calibrate check` faults, for its report,
// without what hangs on the machine that it is asked on.
#pragma once

#include "predictor/model/finding.h"
#include "predictor/platform/platform.h"
#include "predictor/region/slowdown_table.h"

#include <string>
#include <vector>

namespace farcast::study {

// Of a platform that `farcast calibrate network` made, and of slowdowns of regions where some are
// given (not null). `program` and `mpi_library` ("Open MPI", "MPICH") are of the recorded run;
// empty: not known, as in a trace.
std::vector<model::FaultyFile> faulty_files(const platform::Platform& platform, const region::SlowdownTable* slowdowns,
                                            const std::string& program, const std::string& mpi_library);

} // namespace farcast::study
