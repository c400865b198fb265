// `farcast calibrate regions`: runs a program with all its ranks computing together, isolated, and
// with numbers of them between, and writes how much longer each region takes beside co-runners.
#pragma once

#include "calib/instruments/region_runs.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace farcast::cli {

struct RegionsRequest {
  instruments::RegionRuns runs;    // their output: the file to write
  std::vector<int> counts;         // empty: 1, 2, 4 ... and all
  std::string adjustments;         // SimGrid's comp-adjustment-file; empty: none
  std::vector<double> frequencies; // in Hz, a file for each; empty: as they are, one file
};

// Returns: exit code; 1: a run failed, 2: the request was wrong, 3: clocks cannot be set, 128 +
// signal: it was ended.
int calibrate_regions_command(const RegionsRequest& request);
// Adds the command to the group `calibrate`; `action` gets what to do.
void add_calibrate_regions(CLI::App& group, std::function<int()>& action);

} // namespace farcast::cli
