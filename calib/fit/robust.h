// Linear regression that a few far-off samples cannot move.
//
// As linear.h, with squares up to two scales of the residuals and absolute values beyond (Huber
// 1964): by reweighting, in rounds. The scale is the median of the residuals' sizes, so up to half
// of the samples may be off; R^2 and the errors of the coefficients are those of the last round's
// weights. Weights of relative errors follow the fitted values: by the observed ones, noise would
// pull the fit down by twice its square. Threads: pure functions.
#pragma once

#include "calib/fit/linear.h"

namespace farcast::fit {

// What is made small: errors as they are, or as shares of the value.
enum class ErrorMeasure { absolute, relative };

struct RobustFit {
  LinearFit fit;
  double mean_error = 0.0; // mean of |residual|, as the measure says
};

// Requires: for relative errors, observations > 0. Errors: as fit_linear().
base::Result<RobustFit> fit_robust(const Matrix& regressors, std::span<const double> observations, ErrorMeasure measure,
                                   double confidence = 0.95);

} // namespace farcast::fit
