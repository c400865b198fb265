// `farcast convert` and `farcast trace`, which are one command: a recorded run as a file for other
// simulators (convert/), or as a time line for viewers (timeline/).
#pragma once

#include "predictor/live/settings.h"
#include "predictor/timeline/writers.h"
#include "predictor/trace/recording.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace farcast::cli {

struct ConvertRequest {
  std::vector<std::string> run_files;
  std::string format;      // ti, goal, perfetto, otf2, paje, csv
  std::string output;      // ti, otf2: a new folder; otherwise a file
  live::Settings settings; // ti, goal: host speed and collectives alone
  bool plain = false;
  bool inside_collectives = false;
  std::vector<std::string> of_time_lines; // options that were given and mean nothing to a simulator's file
};
// Returns: the exit code.
int convert_command(const ConvertRequest& request);
// The part of convert_command() that predicts and writes time lines.
int write_time_lines(const ConvertRequest& request, timeline::Format format, trace::Recording& recording);

// Adds both names of the command with its options; they set `action` when they are given.
void add_convert(CLI::App& app, std::function<int()>& action);

} // namespace farcast::cli
