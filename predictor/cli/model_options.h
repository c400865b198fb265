// Options of commands that play a run: where, and by which rules.
#pragma once

#include "predictor/live/settings.h"

#include <CLI/CLI.hpp>

namespace farcast::cli {

// CLI11 prints a check's name behind the option's type; our types say it already.
CLI::Validator quiet(const CLI::Validator& check);
// CLI11's own check prints the largest double as the upper bound.
CLI::Validator above_zero();
// A check: the file is there; else the nearest of its folder is named.
CLI::Validator existing_file();

// --platform, how ranks are placed on it, and what carries their messages.
void add_platform_and_messages(CLI::App& command, live::Settings& settings);
void add_realisations(CLI::App& command, live::Settings& settings);        // --realisations, --seed, --json
void add_ensemble(CLI::App& command, live::Settings& settings);            // --ensemble
void add_waits(CLI::App& command, live::Settings& settings);               // --mpi-wait, --policy, --ppn
void add_computation_options(CLI::App& command, live::Settings& settings); // how fast the platform computes
void add_frequency(CLI::App& command, live::Settings& settings);

} // namespace farcast::cli
