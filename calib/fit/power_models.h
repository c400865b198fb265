// Each power model of power.h fitted for itself; power.cpp compares them.
//
// Threads: pure functions.
#pragma once

#include "calib/fit/linear.h"
#include "calib/fit/power.h"

namespace farcast::fit {

// Fills in that model's part of `fit`. Errors: the samples cannot carry it, in one sentence.
base::Result<void> fit_model(PowerModel model, std::span<const PowerSample> samples, const PowerOptions& options, PowerFit& fit);

base::Result<std::vector<HeinrichPower>> fit_heinrich(std::span<const PowerSample> samples, const PowerOptions& options);
base::Result<std::vector<ProficzPower>> fit_proficz(std::span<const PowerSample> samples, const PowerOptions& options);
base::Result<std::vector<BalladiniPower>> fit_balladini(std::span<const PowerSample> samples, const PowerOptions& options);

} // namespace farcast::fit
