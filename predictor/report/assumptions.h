// What a platform's own figures leave open and a prediction therefore assumes, as sentences for Prediction::assumptions.
//
// Platform -> sentences, the same for the same platform. Pure function.
#pragma once

#include "predictor/platform/platform.h"

#include <string>
#include <vector>

namespace farcast::report {

// Returns: power figures that were taken from another state, and what the platform file asks for that is not modelled.
std::vector<std::string> assumptions_of(const platform::Platform& platform);

} // namespace farcast::report
