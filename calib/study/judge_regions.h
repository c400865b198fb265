// Judges a file of regions' slowdowns, for `farcast calibrate check`.
#pragma once

#include "calib/study/judge.h"
#include "predictor/region/slowdown_table.h"

#include <string>
#include <vector>

namespace farcast::study {

// Findings, faults first: too few repetitions, scattered slowdowns, tokens that were lent, another
// program or build of it. `program`: path of the program to predict; empty: not said.
std::vector<model::Finding> judge_regions(const region::SlowdownTable& table, const Surroundings& here,
                                          const std::string& program_path);

} // namespace farcast::study
