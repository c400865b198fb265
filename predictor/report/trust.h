// What weakens the figures of a run and its predictions, each in a few words: the first screen's
// answer to "can I trust this?". The whole sentences are those of cautions.h and sentences.h.
//
// RunSummary and Predictions -> phrases; a phrase is there when what it says holds, and only then.
// Pure functions.
#pragma once

#include "predictor/report/json_text.h"
#include "predictor/report/run_summary.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/sim/prediction.h"

#include <cstddef>
#include <string>
#include <vector>

namespace farcast::report {

struct Weakness {
  std::string phrase;                 // "network not calibrated"
  std::vector<std::size_t> platforms; // predictions of which it holds; empty: what was measured
};

// Returns: that predictions are incomplete, then those of the measured run, then those of predictions;
// equal phrases of several predictions are one.
std::vector<Weakness> weaknesses_of(const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                                    const scenario::RealisationsOf& realisations);
// Returns: the same as a list of `phrase` and `platforms`.
Json weaknesses_value(const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                      const scenario::RealisationsOf& realisations);
// Returns: what the figures rest on: how many calls of how many ranks, recorded where, and how
// computation is taken over.
std::string basis_sentence(const RunSummary& run, const std::vector<sim::Prediction>& predictions);

} // namespace farcast::report
