// What is to be said beside a prediction, as remarks that several predictions can share.
//
// The words are those of sentences.h and cautions.h. Pure functions.
#pragma once

#include "predictor/scenario/ensemble.h"
#include "predictor/scenario/remark.h"
#include "predictor/sim/prediction.h"

#include <vector>

namespace farcast::report {

// Returns: cautions first, then assumptions, each in the order of the report of one prediction.
// Subjects are those of one platform: the figures of another are no more or less of the same.
std::vector<scenario::Remark> remarks_of(const sim::Prediction& prediction);
// Returns: what to expect of single runs; empty where all take about the same.
std::vector<scenario::Remark> remarks_of(const scenario::Realisations& realisations);

} // namespace farcast::report
