#include "calib/fit/power.h"

#include "calib/fit/power_models.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace farcast::fit {

namespace {

constexpr PowerModel kModels[] = {PowerModel::heinrich17, PowerModel::proficz16, PowerModel::balladini13};

base::Result<void> check(std::span<const PowerSample> samples, const PowerOptions& options) {
  if (samples.empty()) return base::fail("no power samples");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const PowerSample& sample = samples[i];
    if (sample.active_cores < 0)
      return base::fail(fmt::format("power sample {} has {} active cores", i + 1, sample.active_cores));
    if (!(sample.frequency_hz > 0.0 && std::isfinite(sample.frequency_hz)))
      return base::fail(fmt::format("power sample {} has frequency {} Hz, which is not positive", i + 1, sample.frequency_hz));
    if (!(sample.watts > 0.0 && std::isfinite(sample.watts)))
      return base::fail(fmt::format("power sample {} has {} W, which is not positive", i + 1, sample.watts));
  }
  if (options.folds < 2) return base::fail("cross-validation needs at least 2 folds");
  if (options.cores < 0 || options.hardware_threads < 0 ||
      (options.hardware_threads > 0 && options.hardware_threads < options.cores))
    return base::fail(fmt::format("{} cores with {} hardware threads is no node", options.cores, options.hardware_threads));
  return {};
}

// Whole settings share a fold: samples repeated in one setting prove nothing about the model.
std::vector<std::size_t> folds_by_setting(std::span<const PowerSample> samples, std::size_t folds) {
  std::map<std::tuple<int, double, std::string>, std::size_t> settings;
  const auto key = [](const PowerSample& sample) {
    return std::tuple(sample.active_cores, sample.frequency_hz, sample.active_cores == 0 ? std::string() : sample.workload);
  };
  for (const PowerSample& sample : samples) settings.emplace(key(sample), 0);
  const std::vector<std::size_t> fold_of =
      make_folds(settings.size(), std::min(folds, std::max<std::size_t>(2, settings.size())));
  std::size_t index = 0;
  for (auto& [setting, fold] : settings) fold = fold_of[index++];
  std::vector<std::size_t> answer;
  for (const PowerSample& sample : samples) answer.push_back(settings.at(key(sample)));
  return answer;
}

using Predictions = std::vector<std::optional<double>>; // [sample]

Predictions cross_predictions(std::span<const PowerSample> samples, PowerModel model, const PowerOptions& options) {
  const auto learner = [&](std::span<const std::size_t> training) -> std::optional<Predictor> {
    std::vector<PowerSample> seen;
    for (const std::size_t i : training) seen.push_back(samples[i]);
    PowerFit part;
    if (!fit_model(model, seen, options, part)) return std::nullopt;
    return [&samples, model, part = std::move(part)](std::size_t i) {
      return part.watts(model, samples[i].active_cores, samples[i].frequency_hz, samples[i].workload);
    };
  };
  return cross_predict(folds_by_setting(samples, options.folds), learner);
}

PowerQuality quality_of(PowerModel model, const PowerFit& fit, std::span<const PowerSample> samples) {
  PowerQuality quality;
  quality.model = model;
  quality.fitted = true;
  std::vector<double> measured, fitted;
  for (const PowerSample& sample : samples)
    if (const auto watts = fit.watts(model, sample.active_cores, sample.frequency_hz, sample.workload)) {
      measured.push_back(sample.watts);
      fitted.push_back(*watts);
    }
  quality.samples = measured.size();
  const double centre = mean(measured);
  double left = 0.0, total = 0.0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    left += (measured[i] - fitted[i]) * (measured[i] - fitted[i]);
    total += (measured[i] - centre) * (measured[i] - centre);
  }
  quality.r_squared = total > 0.0 ? 1.0 - left / total : 1.0;
  return quality;
}

// Scores the models on the settings that all of them could predict, and names the best.
void compare(std::span<const PowerSample> samples, const PowerOptions& options, PowerFit& fit) {
  std::vector<Predictions> predictions;
  std::vector<PowerQuality*> fitted;
  for (PowerQuality& quality : fit.quality) {
    if (!quality.fitted) continue;
    Predictions predicted = cross_predictions(samples, quality.model, options);
    if (std::none_of(predicted.begin(), predicted.end(), [](const auto& watts) { return watts.has_value(); })) continue;
    fitted.push_back(&quality);
    predictions.push_back(std::move(predicted));
  }
  std::size_t common = 0;
  std::vector<double> squares(fitted.size(), 0.0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::any_of(predictions.begin(), predictions.end(), [&](const Predictions& of) { return !of[i].has_value(); })) continue;
    ++common;
    for (std::size_t m = 0; m < fitted.size(); ++m) squares[m] += std::pow(*predictions[m][i] - samples[i].watts, 2);
  }
  if (common == 0 || fitted.empty()) {
    fit.verdict = "the models cannot be compared: no setting could be left out and still be predicted by all of them";
    return;
  }
  const PowerQuality* best = nullptr;
  for (std::size_t m = 0; m < fitted.size(); ++m) {
    fitted[m]->cross_rms_w = std::sqrt(squares[m] / static_cast<double>(common));
    fitted[m]->cross_samples = common;
    if (best == nullptr || fitted[m]->cross_rms_w < best->cross_rms_w) best = fitted[m];
  }
  fit.best = best->model;
  fit.verdict =
      fmt::format("{} predicts settings that it has not seen {}: {:.3g} W root mean square over {} samples", name_of(best->model),
                  fitted.size() > 1 ? "best" : "(nothing could be compared with it)", best->cross_rms_w, common);
}

} // namespace

std::string name_of(PowerModel model) {
  switch (model) {
  case PowerModel::heinrich17:
    return "Heinrich17 eq. (1)";
  case PowerModel::proficz16:
    return "Proficz16's pieces";
  case PowerModel::balladini13:
    return "Balladini13's polynomial";
  }
  return "";
}

std::optional<double> PowerFit::watts(PowerModel model, int active_cores, double frequency_hz,
                                      const std::string& workload) const {
  switch (model) {
  case PowerModel::heinrich17:
    for (const HeinrichPower& power : heinrich)
      if (power.frequency_hz == frequency_hz) return power(active_cores, workload);
    return std::nullopt;
  case PowerModel::proficz16:
    for (const ProficzPower& power : proficz)
      if (power.frequency_hz == frequency_hz && active_cores > 0) return power(active_cores);
    return std::nullopt;
  case PowerModel::balladini13:
    for (const BalladiniPower& power : balladini)
      if (power.active_cores == active_cores && (active_cores == 0 || power.workload == workload)) return power(frequency_hz);
    return std::nullopt;
  }
  return std::nullopt;
}

base::Result<PowerFit> fit_power(std::span<const PowerSample> samples, const PowerOptions& options) {
  if (const auto fine = check(samples, options); !fine) return tl::unexpected(fine.error());
  PowerFit fit;
  std::string reasons;
  for (const PowerModel model : kModels) {
    if (const auto fine = fit_model(model, samples, options, fit); fine) {
      fit.quality.push_back(quality_of(model, fit, samples));
      continue;
    } else {
      PowerQuality quality;
      quality.model = model;
      quality.reason = fine.error().message;
      fit.quality.push_back(quality);
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", name_of(model), quality.reason);
    }
  }
  if (std::none_of(fit.quality.begin(), fit.quality.end(), [](const PowerQuality& quality) { return quality.fitted; }))
    return base::fail(fmt::format("no power model can be fitted: {}", reasons));
  compare(samples, options, fit);
  return fit;
}

} // namespace farcast::fit
