// `farcast calibrate regions`: runs a program with all its ranks computing together, isolated, and at companies between, and
// writes how much longer each region takes in company.
#pragma once

#include "predictor/cli/core_clocks.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): CLI11's own
class App;
}

namespace farcast::cli {

struct RegionsRequest {
  int ranks = 0;
  int repetitions = 3;
  std::vector<int> companies; // empty: 1, 2, 4 ... and all
  std::string output = "regions.h5";
  std::string adjustments; // SimGrid's comp-adjustment-file; empty: none
  std::string launcher;
  std::vector<std::string> launcher_options;
  std::string skip_libraries;
  std::vector<std::string> program;
  std::string cpufreq = kCpuFolder;
  std::vector<double> frequencies; // in Hz, a file for each; empty: as they are, one file
};

// Returns: the companies that are measured: powers of two below the ranks that can compute at a time, and these.
std::vector<int> companies_of(int ranks, int cores);
// Returns: exit code; 1: a run failed, 2: the request was wrong, 3: clocks cannot be set, 128 + signal: it was ended.
int calibrate_regions_command(const RegionsRequest& request);
// Adds the command to the group `calibrate`; `action` gets what to do.
void add_calibrate_regions(CLI::App& group, std::function<int()>& action);

} // namespace farcast::cli
