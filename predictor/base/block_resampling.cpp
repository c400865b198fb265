#include "predictor/base/block_resampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace farcast::base {

namespace {

double mean_of(std::span<const double> series) {
  return std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(series.size());
}

// Returns: [lag] autocovariance up to `most`.
std::vector<double> autocovariances(std::span<const double> series, std::size_t most) {
  const double mean = mean_of(series);
  std::vector<double> out(most + 1, 0.0);
  for (std::size_t lag = 0; lag <= most; ++lag) {
    for (std::size_t i = lag; i < series.size(); ++i) out[lag] += (series[i] - mean) * (series[i - lag] - mean);
    out[lag] /= static_cast<double>(series.size());
  }
  return out;
}

// Returns: the lag from which on correlations are noise: five in a row below twice their standard
// error (Politis and White 2004, 3.1).
std::size_t last_correlated(const std::vector<double>& covariance, double n) {
  constexpr std::size_t kInARow = 5;
  const double bound = 2 * std::sqrt(std::log10(n) / n);
  std::size_t quiet = 0;
  for (std::size_t lag = 1; lag < covariance.size(); ++lag) {
    quiet = std::abs(covariance[lag]) < bound * covariance[0] ? quiet + 1 : 0;
    if (quiet == kInARow) return lag - kInARow;
  }
  return covariance.size() - 1;
}

// 95 % point of Student's t over that of the normal distribution, by Cornish and Fisher's expansion.
double wider_than_normal(double degrees) {
  constexpr double kZ = 1.6448536269514722;
  constexpr double kZ2 = kZ * kZ;
  return 1 + (kZ2 + 1) / (4 * degrees) + (5 * kZ2 * kZ2 + 16 * kZ2 + 3) / (96 * degrees * degrees);
}

// Returns: a number below `bound`, the same on every machine.
std::size_t below(std::mt19937_64& random, std::size_t bound) {
  constexpr double kRange = 18446744073709551616.0; // 2^64
  return std::min(bound - 1, static_cast<std::size_t>(static_cast<double>(random()) / kRange * static_cast<double>(bound)));
}

} // namespace

std::size_t block_length(std::span<const double> series) {
  constexpr std::size_t kMostLags = 500;
  constexpr std::size_t kFewestBlocks = 5;
  if (series.size() < 2 * kFewestBlocks) return 1;
  const std::size_t longest = series.size() / kFewestBlocks;
  const auto n = static_cast<double>(series.size());
  const std::vector<double> covariance = autocovariances(series, std::min(longest, kMostLags));
  if (!(covariance[0] > 0)) return 1;
  const std::size_t last = last_correlated(covariance, n);
  if (last == 0) return 1;
  double spectrum = covariance[0]; // at frequency 0
  double slope = 0;
  const std::size_t window = std::min(2 * last, covariance.size() - 1);
  for (std::size_t lag = 1; lag <= window; ++lag) { // the flat-top window of Politis and Romano
    const double share = static_cast<double>(lag) / static_cast<double>(window);
    const double weight = share <= 0.5 ? 1.0 : 2 * (1 - share);
    spectrum += 2 * weight * covariance[lag];
    slope += 2 * weight * static_cast<double>(lag) * covariance[lag];
  }
  if (!(spectrum > 0)) return 1; // what follows a long one is short: blocks would make sums surer
  const double best = std::cbrt(1.5 * slope * slope / (spectrum * spectrum) * n);
  const double correlated = spectrum / covariance[0];
  const double wanted = std::max({1.0, 3 * best, correlated});
  return std::min(longest, static_cast<std::size_t>(std::ceil(wanted)));
}

std::vector<double> resampled_sums(std::span<const double> series, std::size_t block, std::size_t count, std::uint64_t seed) {
  const std::size_t n = series.size();
  const double sum = std::accumulate(series.begin(), series.end(), 0.0);
  std::vector<double> out(count, sum);
  if (n < 2) return out;
  std::vector<double> until(2 * n + 1, 0.0); // sums of the series laid twice round a circle
  for (std::size_t i = 0; i < 2 * n; ++i) until[i + 1] = until[i] + series[i % n];
  const double blocks = std::max(2.0, static_cast<double>(n) / static_cast<double>(block));
  const double wider = std::sqrt(blocks / (blocks - 1)) * wider_than_normal(blocks - 1);
  std::mt19937_64 random(seed);
  for (double& drawn : out) {
    double total = 0;
    for (std::size_t filled = 0; filled < n; filled += block) {
      const std::size_t from = below(random, n);
      total += until[from + std::min(block, n - filled)] - until[from];
    }
    drawn = sum + wider * (total - sum);
  }
  return out;
}

} // namespace farcast::base
