// Power over time of the scenarios of a command: watched while they are played, then written
// (--power-series).
//
// Threads: power_of() before they are played, the rest when all are answered.
#pragma once

#include "predictor/live/asked.h"
#include "predictor/sim/power_series.h"

#include <memory>
#include <string>
#include <vector>

namespace farcast::live {

using PowerOverTime = std::vector<std::unique_ptr<sim::PowerSeries>>; // [scenario]

// Errors: the settings ask for power over time of a platform that has no power figures.
base::Result<void> check_power(const Settings& settings, const std::vector<PlacedPlatform>& platforms);

// Returns: what watches the scenarios, where the settings ask for it: of each one the first
// realisation. At most so many steps per node as the settings say, by default kPowerSteps, fewer
// where all nodes together had more than kAllPowerSteps.
inline constexpr std::size_t kPowerSteps = 1000;
inline constexpr std::size_t kAllPowerSteps = 4'000'000;
PowerOverTime power_of(std::vector<scenario::Scenario>& scenarios, const Settings& settings);

// Returns: what the file holds, such as "power over time (realisation 1)".
std::string what_power_is_of(const PowerOverTime& power);
// Errors: of the file.
base::Result<void> write_power(const std::string& path, const PowerOverTime& power);

} // namespace farcast::live
