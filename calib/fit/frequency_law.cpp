#include "calib/fit/frequency_law.h"

#include "calib/fit/distributions.h"
#include "calib/fit/robust.h"
#include "predictor/model/frequency_law.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace farcast::fit {

namespace {

base::Result<void> check(std::span<const FrequencySample> samples) {
  if (samples.size() < 3)
    return base::fail(fmt::format("{} samples are too few for a frequency law, at least 3 are needed", samples.size()));
  bool several = false;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const FrequencySample& sample = samples[i];
    if (!(sample.frequency_hz > 0.0 && std::isfinite(sample.frequency_hz) && sample.seconds > 0.0 &&
          std::isfinite(sample.seconds)))
      return base::fail(
          fmt::format("sample {} took {} seconds at {} Hz, both must be positive", i + 1, sample.seconds, sample.frequency_hz));
    several = several || sample.frequency_hz != samples[0].frequency_hz;
  }
  if (!several) return base::fail("all samples have one frequency, a frequency law needs two");
  return {};
}

// b = clocked / (clocked + constant), with the error that follows from those of both.
Estimate share_of(const LinearFit& fit, double confidence_factor) {
  const double constant = fit.coefficient[0].value, clocked = fit.coefficient[1].value, whole = constant + clocked;
  const double by_constant = -clocked / (whole * whole), by_clocked = constant / (whole * whole);
  double variance = 0.0;
  if (std::isfinite(fit.residual_scale))
    variance = by_constant * by_constant * fit.covariance(0, 0) + 2.0 * by_constant * by_clocked * fit.covariance(0, 1) +
               by_clocked * by_clocked * fit.covariance(1, 1);
  const double value = clocked / whole, error = std::sqrt(std::max(0.0, variance)), half = confidence_factor * error;
  const auto cut = [](double share) { return std::clamp(share, 0.0, 1.0); };
  return {cut(value), error, {cut(value - half), cut(value + half)}};
}

} // namespace

double FrequencyLaw::operator()(double frequency_hz) const {
  return model::clock_factor(clock_share.value, base::Hertz(max_frequency_hz), base::Hertz(frequency_hz));
}

base::Result<FrequencyLaw> fit_frequency_law(std::span<const FrequencySample> samples, double confidence) {
  if (const auto fine = check(samples); !fine) return tl::unexpected(fine.error());
  FrequencyLaw law;
  law.samples = samples.size();
  for (const FrequencySample& sample : samples) law.max_frequency_hz = std::max(law.max_frequency_hz, sample.frequency_hz);
  Matrix regressors(samples.size(), 2);
  std::vector<double> measured, fitted, residuals;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    regressors(i, 0) = 1.0;
    regressors(i, 1) = law.max_frequency_hz / samples[i].frequency_hz;
    measured.push_back(samples[i].seconds);
  }
  const auto found = fit_robust(regressors, measured, ErrorMeasure::relative, confidence);
  if (!found) return tl::unexpected(found.error());
  const LinearFit& fit = found->fit;
  const double whole = fit.coefficient[0].value + fit.coefficient[1].value;
  const double variance = fit.covariance(0, 0) + 2.0 * fit.covariance(0, 1) + fit.covariance(1, 1);
  const double factor = two_sided_factor(confidence, static_cast<double>(samples.size() - 2));
  const double error = std::sqrt(std::max(0.0, variance));
  law.seconds_at_max = {whole, error, {whole - factor * error, whole + factor * error}};
  law.clock_share = share_of(fit, factor);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    fitted.push_back(whole * law(samples[i].frequency_hz));
    residuals.push_back(std::fabs(measured[i] - fitted[i]) / measured[i]);
  }
  law.r_squared = pearson_squared(measured, fitted);
  law.residual_95 = percentile(residuals, 95.0);
  return law;
}

} // namespace farcast::fit
