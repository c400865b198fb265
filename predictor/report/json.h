// The report for programs: one JSON document, schema "farcast-report/1", described in schema.md.
//
// RunSummary and Predictions -> text. Invariants:
// 1. The `predictions` part is a function of the Predictions and of the names of sites and regions
//    alone, so that a live prediction and one from the run file of the same run are the same, byte
//    for byte.
// 2. Numbers are SI units with full round-trip precision; what is unavailable is null, never 0.
// Threads: pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/report/run_summary.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/sim/prediction.h"

#include <string>
#include <vector>

namespace farcast::report {

inline constexpr const char* kSchema = "farcast-report/1";

// Returns: the whole document, with a newline at its end.
std::string json_report(const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                        const scenario::RealisationsOf& realisations = {});

// Returns: the value of `predictions`, as it stands in the document.
std::string predictions_json(const std::vector<sim::Prediction>& predictions, const std::vector<SiteInfo>& sites,
                             const std::vector<RegionInfo>& regions, const scenario::RealisationsOf& realisations = {});

// Writes json_report() to a file, whole or not at all.
// Errors: a sentence with the path and the reason (disk full, missing directory).
base::Result<void> write_json(const std::string& path, const RunSummary& run, const std::vector<sim::Prediction>& predictions,
                              const scenario::RealisationsOf& realisations = {});

} // namespace farcast::report
