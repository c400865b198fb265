#include "calib/fit/batches.h"

#include "calib/fit/distributions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

namespace farcast::fit {

Estimate batch_estimate(double value, std::span<const double> pulls, double confidence, std::size_t most_waves) {
  const auto count = static_cast<double>(pulls.size());
  const std::size_t waves = std::min(most_waves, pulls.size() - 1);
  double variance = 0.0;
  for (std::size_t wave = 1; wave <= waves; ++wave) {
    double sum = 0.0;
    for (std::size_t i = 0; i < pulls.size(); ++i)
      sum += pulls[i] * std::cos(std::numbers::pi * static_cast<double>(wave) * (static_cast<double>(i) + 0.5) / count);
    variance += 2.0 * sum * sum / static_cast<double>(waves);
  }
  const double error = std::sqrt(variance);
  const double half = error > 0.0 ? error * two_sided_factor(confidence, static_cast<double>(waves)) : 0.0;
  return {value, error, {value - half, value + half}};
}

std::size_t waves_of(int first_batch, int last_batch) {
  const int further_runs = last_batch / kBatchesOfRun - first_batch / kBatchesOfRun;
  return further_runs > 0 ? std::min(kWaves, static_cast<std::size_t>(further_runs)) : kWaves;
}

Estimate batch_median_estimate(std::span<const double> values, std::span<const int> batch, double confidence) {
  std::map<int, std::vector<double>> batches;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (batch[i] != kNoBatch) batches[batch[i]].push_back(values[i]);
  }
  const Estimate plain = median_estimate(values, confidence);
  if (batches.size() < kLeastBatches) return plain;
  std::vector<double> pulls;
  pulls.reserve(batches.size());
  for (const auto& [number, own] : batches) pulls.push_back(median(own));
  const double middle = mean(pulls);
  const std::size_t waves = waves_of(batches.begin()->first, batches.rbegin()->first);
  for (double& pull : pulls) pull = (pull - middle) / static_cast<double>(batches.size());
  return less_sure(plain, batch_estimate(plain.value, pulls, confidence, waves));
}

const Estimate& less_sure(const Estimate& a, const Estimate& b) {
  return a.interval.high - a.interval.low >= b.interval.high - b.interval.low ? a : b;
}

} // namespace farcast::fit
