// What a calibration found and how good it is, as text for people.
#pragma once

#include "calib/study/network_calibration.h"

#include <string>

namespace farcast::study {

// Returns: a paragraph per class of pair, and a line per section: sizes, what it costs, R^2,
// residual percentiles, samples. Ends in a newline.
std::string quality_table(const NetworkCalibration& calibration);

} // namespace farcast::study
