#include "calib/fit/robust.h"

#include <algorithm>
#include <cmath>

namespace farcast::fit {

namespace {
constexpr double kFar = 2.0;        // scales
constexpr double kLeastLevel = 0.1; // of the observation: where the fit is near or below 0
constexpr int kRounds = 12;
} // namespace

base::Result<RobustFit> fit_robust(const Matrix& regressors, std::span<const double> observations, ErrorMeasure measure,
                                   double confidence) {
  const std::size_t count = observations.size();
  std::vector<double> level(count, 1.0), share(count, 1.0), weights(count), errors(count);
  if (measure == ErrorMeasure::relative) level.assign(observations.begin(), observations.end());
  RobustFit answer;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) weights[i] = share[i] / (level[i] * level[i]);
    auto fit = fit_linear(regressors, observations, weights, confidence);
    if (!fit) return tl::unexpected(fit.error());
    answer.fit = std::move(*fit);
    answer.mean_error = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const double fitted = answer.fit(regressors.row(i));
      if (measure == ErrorMeasure::relative) level[i] = std::max(fitted, kLeastLevel * observations[i]);
      errors[i] = std::fabs(observations[i] - fitted) / level[i];
      answer.mean_error += errors[i] / static_cast<double>(count);
    }
    const double far = kFar * 1.482602218505602 * median(errors);
    for (std::size_t i = 0; i < count; ++i) share[i] = errors[i] > far && far > 0.0 ? far / errors[i] : 1.0;
  }
  return answer;
}

} // namespace farcast::fit
