// How far time and energy may be off (sim::Confidence), in words, in figures and in JSON.
//
// Pure functions, any thread.
#pragma once

#include "predictor/report/json_text.h"
#include "predictor/sim/prediction.h"

#include <optional>
#include <string>
#include <vector>

namespace farcast::report {

// Returns: the farther end of the interval from the figure, as a share of it: "+-2.1%"; "-" where
// there is none.
std::string deviation_text(double figure, const std::optional<base::Interval>& interval);

// Returns: both intervals and what they come of; why there is none. Requires: an ensemble was played.
std::string confidence_sentence(const sim::Prediction& prediction);

// Returns: what the +- of several predictions is, for one screen, or why none has one; empty
// where none was to have one.
std::string intervals_sentence(const std::vector<sim::Prediction>& predictions);

Json confidence_value(const sim::Confidence& confidence);

} // namespace farcast::report
