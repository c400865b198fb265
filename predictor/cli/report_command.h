// `farcast report`: recorded runs and what they come to on platforms, as one page for a browser
// (html/).
#pragma once

#include "predictor/html/price.h"
#include "predictor/live/settings.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace farcast::cli {

struct ReportRequest {
  std::vector<std::string> run_files; // of several runs; those that hold some nodes of a run are joined
  std::string output;                 // the page
  std::string sweep;                  // of `farcast whatif --json`; empty: none
  std::string gains;                  // of `farcast whatif --gains --json`; empty: none
  std::optional<html::Price> price;   // of energy; unset: not said
  std::string command;                // as it was given
  live::Settings settings;
};
// Returns: the exit code.
int report_command(const ReportRequest& request);

// Adds the command with its options, which sets `action` when it is given. `arguments`: the words of
// the command line.
void add_report(CLI::App& app, const std::vector<std::string>& arguments, std::function<int()>& action);

// Returns: the words as a shell takes them.
std::string shell_line(const std::vector<std::string>& words);

} // namespace farcast::cli
