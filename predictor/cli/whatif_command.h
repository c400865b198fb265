// farcast whatif: many questions about one recorded run.
#pragma once

#include "predictor/cli/whatif_failures.h"
#include "predictor/cli/whatif_model.h"
#include "predictor/live/settings.h"
#include "predictor/report/what_if.h"
#include "predictor/scenario/what_if.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace farcast::cli {

struct WhatIfRequest {
  scenario::Axes axes; // but for the platforms, which are those of the settings
  report::Goal goal = report::Goal::time;
  std::string csv_file;
  std::vector<std::string> command; // the words of the command line: what tells the sweep from others
  FailureRequest failures;
  bool payloads_divided = false; // with --balance
  ModelRequest model;            // in place of a run
  double gains = 0;              // percent; 0: what would help most is not asked for
};

// The options that are whatif's own.
void add_axes(CLI::App& command, WhatIfRequest& request);
// Plays all points and prints the table. Returns: 130 when it was interrupted, after what was
// finished is printed.
int whatif_command(const live::Settings& settings, const WhatIfRequest& request, const std::vector<std::string>& run_files);

} // namespace farcast::cli
