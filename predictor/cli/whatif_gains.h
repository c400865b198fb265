// farcast whatif --gains: what would help most.
#pragma once

#include "predictor/cli/whatif_command.h"

#include <string>
#include <vector>

namespace farcast::cli {

// After the other options of whatif have been added.
void add_gains(CLI::App& command, WhatIfRequest& request);

// Plays each point as it is, finds what lies on its critical path, and plays it once more for each
// thing that might be better, with the same realisations. Returns: the exit code.
int gains_command(const live::Settings& settings, const WhatIfRequest& request, const std::vector<std::string>& run_files);

} // namespace farcast::cli
