// What a terminal shows of a run: one screen with the answer, where the time goes, what the answer
// rests on, and what to do next. The whole report is text.h.
//
// RunSummary and Predictions -> at most ScreenOptions::lines lines of at most 100 columns, unless a
// name of the program is wider. The best time and the best energy of several platforms are marked
// with *. Threads: pure function.
#pragma once

#include "predictor/report/run_summary.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/sim/prediction.h"

#include <cstddef>
#include <string>
#include <vector>

namespace farcast::report {

struct ScreenOptions {
  std::size_t lines = 25;
  std::vector<std::string> run_files = {}; // that the run is kept in
  bool live = true;                        // the program has just run; else it was read from these
  bool next = true;                        // name the command for the next step
};

std::string first_screen(const RunSummary& run, const std::vector<sim::Prediction>& predictions, const ScreenOptions& options,
                         const scenario::RealisationsOf& realisations = {});

} // namespace farcast::report
