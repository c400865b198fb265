// The whole report for people: the first screen (first_screen.h), then the answer with its cautions,
// what it rests on, mpiP's `@` sections and farcast's own.
//
// RunSummary and Predictions -> text of 75 to 100 columns, plain ASCII unless a name of the program
// is not. The `@---` headings, column names and units of the sections that mpiP has are mpiP's, so
// that scripts which read its reports find them. An unavailable figure is said in words with the
// reason, never printed as 0.
// Threads: pure function.
#pragma once

#include "predictor/report/run_summary.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/sim/prediction.h"

#include <cstddef>
#include <string>
#include <vector>

namespace farcast::report {

struct TextOptions {
  bool full = false;            // every rank, region and site, and mpiP's long sections per call site and rank
  std::size_t max_ranks = 16;   // ranks listed one by one; the rest is summarised
  std::size_t top_regions = 10; // per platform
};

std::string text_report(const RunSummary& run, const std::vector<sim::Prediction>& predictions, const TextOptions& options,
                        const scenario::RealisationsOf& realisations = {});
// Returns: the sections that somebody has to ask for, and wants to see without asking for all:
// hardware counters, and the critical path with the wait states. Empty where nobody did.
std::string asked_sections(const RunSummary& run, const std::vector<sim::Prediction>& predictions, const TextOptions& options);

} // namespace farcast::report
