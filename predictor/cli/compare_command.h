// `farcast compare`: two recorded runs beside each other on a platform.
#pragma once

#include "predictor/live/settings.h"

#include <string>
#include <vector>

namespace farcast::cli {

// Plays both runs on each platform of the settings. Returns: the exit code.
int compare_command(const live::Settings& settings, const std::vector<std::string>& files);

} // namespace farcast::cli
