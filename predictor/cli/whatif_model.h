// farcast whatif --model: questions to a model of a program, without a recorded run.
#pragma once

#include "predictor/live/settings.h"
#include "predictor/report/what_if.h"
#include "predictor/scenario/block_program.h"
#include "predictor/scenario/stencil.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace farcast::cli {

struct ModelRequest {
  std::string model;                            // empty: a recorded run is asked
  std::string parameters;                       // file
  scenario::StencilAxes axes;                   // of a stencil
  std::vector<scenario::ProcessAxis> processes; // of a program of blocks, as the next
  std::vector<int> ranks_per_node;
};

void add_model(CLI::App& command, ModelRequest& request);

// Throws CLI::ParseError: a model and run files, or options of the other one.
void check_model(const CLI::App& command, const ModelRequest& request, const std::vector<std::string>& run_files);

// Where the figures go.
struct ModelOutput {
  report::Goal goal = report::Goal::time;
  std::size_t rows = 0;  // that fit the terminal
  std::string csv_file;  // empty: none
  std::string json_file; // likewise
};
// `settings`: the platforms of a program of blocks. Returns: the exit code.
int model_command(const live::Settings& settings, const ModelRequest& request, const ModelOutput& output);

} // namespace farcast::cli
