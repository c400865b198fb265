// Whether what is to be written can be, asked before anything runs for hours.
//
// Threads: one. Leaves nothing behind.
#pragma once

#include "predictor/base/result.h"

#include <string>
#include <vector>

namespace farcast::cli {

// Errors: one of the files cannot be written where it is named. Empty names are no files; pipes and
// devices are not touched.
base::Result<void> check_outputs(const std::vector<std::string>& files);

} // namespace farcast::cli
