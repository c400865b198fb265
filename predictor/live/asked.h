// What settings ask: which platforms, placed how, played by which rules, with which slowdowns.
#pragma once

#include "predictor/live/settings.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/scenario/recorded_source.h"
#include "predictor/scenario/scenario.h"

#include <memory>
#include <vector>

namespace farcast::live {

using scenario::PlacedPlatform;
using scenario::SlowdownTable;

// Returns: the platforms of the settings with `ranks` ranks placed on them. `cpus_seen`: cores that
// each rank has where the settings do not say. Errors: unknown platform, no such frequency, too few
// cores.
base::Result<std::vector<PlacedPlatform>> place_all(const Settings& settings, int ranks, int cpus_seen = 1);

// Errors: what the platform does not say and the settings need. place_all() has asked that unless
// there is a record of block formulas.
base::Result<void> check_options(const Settings& settings, const PlacedPlatform& placed);

// Returns: what the settings ask of the engine.
sim::Options options_of(const Settings& settings);

// Returns: the realisations that they ask for.
scenario::Draws draws_of(const Settings& settings);
// Returns: the same with the members of an ensemble.
scenario::Draws draws_with_members(const Settings& settings);

// Reads the file that --regions names. Errors: what is wrong with it.
base::Result<SlowdownTable> load_slowdowns(const Settings& settings);
// Returns: frames per call site to be recorded: those that are asked for, and that the table (null:
// none) tells regions by.
int frames_of(const Settings& settings, const SlowdownTable& table);
// Errors: the table was measured on another program than the one that was recorded.
base::Result<void> check_slowdowns(const SlowdownTable& table, trace::Recording& recording);

// Returns: a scenario for each platform.
std::vector<scenario::Scenario> scenarios_on(std::vector<PlacedPlatform> platforms, const sim::Options& options);

} // namespace farcast::live
