// `farcast convert`: a recorded run for other simulators.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace farcast::cli {

struct ConvertRequest {
  std::vector<std::string> run_files;
  std::string format;      // ti, goal
  std::string output;      // ti: a folder; goal: a file
  std::string host_speed;  // what a second of computation is, as platform files write it; empty: 1 Gf
  std::string collectives; // as Settings::collectives
  bool plain = false;
};
// Returns: the exit code.
int convert_command(const ConvertRequest& request);

// Adds the command with its options; it sets `action` when it is given.
void add_convert(CLI::App& app, std::function<int()>& action);

} // namespace farcast::cli
