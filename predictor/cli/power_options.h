// Options of commands that play what was recorded: power over time, and what was measured on a node.
#pragma once

#include "predictor/live/settings.h"

#include <CLI/CLI.hpp>

namespace farcast::cli {

void add_power_series(CLI::App& command, live::Settings& settings); // --power-series, --power-steps
void add_memory_bound(CLI::App& command, live::Settings& settings); // --memory-bound
void add_node_records(CLI::App& command, live::Settings& settings); // --power, --speed, --blocks

} // namespace farcast::cli
