// Why the figures of a prediction may be far off, and what speaks against a file of calibration, in
// words.
//
// The same words for the same facts; nothing parses them. Pure functions.
#pragma once

#include "predictor/model/finding.h"
#include "predictor/report/run_summary.h"
#include "predictor/scenario/remark.h"
#include "predictor/sim/prediction.h"

#include <string>
#include <vector>

namespace farcast::report {

std::string finding_sentence(const model::Finding& finding);
// Returns: the file of the slowdowns, and what it was measured on.
std::string slowdowns_source(const sim::SlowdownUse& use);
// Returns: a sentence of each faulty file that the prediction rests on; that much of its
// computation met more co-runners than its slowdowns were measured with.
std::vector<std::string> cautions_of(const sim::Prediction& prediction);
// Returns: the same as remarks.
std::vector<scenario::Remark> caution_remarks(const sim::Prediction& prediction);
// Returns: why what was measured may be far off, whatever is predicted from it: others had the cores,
// threads had too few of them, records are missing.
std::vector<std::string> cautions_of_run(const RunSummary& run);

} // namespace farcast::report
