#include "predictor/base/series_noise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace farcast::base {

namespace {

constexpr std::size_t kBlocks = 40; // of a long series
// Standard deviations beyond which a second difference belongs to a step, and the variance of a normal distribution that is cut
// there.
struct Bound {
  double deviations;
  double kept;
};
constexpr Bound kOutlier{3, 0.9733};
constexpr Bound kFarOutlier{5, 1.0};       // where the shape of the distribution must not matter
constexpr double kMedianOfNormal = 0.6745; // of the absolute deviate
constexpr double kMostMemory = 0.8;

struct Differences {
  double variance = 0; // of B(k-d) - 2 B(k) + B(k+d), as a share of the level
  std::size_t kept = 0;
};

double level_at(const std::vector<double>& values, std::size_t k, std::size_t distance) {
  return (values[k - distance] + 2 * values[k] + values[k + distance]) / 4;
}

double share_of(double value, double level) { return level > 0 ? value / level : 0; }

// Requires: more than twice the distance.
Differences differences_of(const std::vector<double>& values, std::size_t distance, Bound outlier = kOutlier) {
  std::vector<double> off;
  for (std::size_t k = distance; k + distance < values.size(); ++k)
    off.push_back(std::abs(share_of(values[k - distance] - 2 * values[k] + values[k + distance], level_at(values, k, distance))));
  std::vector<double> ordered = off;
  std::nth_element(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(ordered.size() / 2), ordered.end());
  const double bound = outlier.deviations * ordered[ordered.size() / 2] / kMedianOfNormal;
  Differences out;
  for (const double one : off) {
    if (one > bound) continue;
    out.variance += one * one;
    ++out.kept;
  }
  if (out.kept > 0) out.variance /= outlier.kept * static_cast<double>(out.kept);
  return out;
}

std::vector<double> sums_of(std::span<const double> series, std::size_t block) {
  std::vector<double> out;
  for (std::size_t from = 0; from + block <= series.size(); from += block)
    out.push_back(std::accumulate(series.begin() + static_cast<std::ptrdiff_t>(from),
                                  series.begin() + static_cast<std::ptrdiff_t>(from + block), 0.0));
  return out;
}

// Returns: variance of second differences of an autoregression of variance 1, at a distance.
double of_differences(double memory, std::size_t distance) {
  const double one = std::pow(memory, static_cast<double>(distance));
  return 6 - 8 * one + 2 * one * one;
}

// Returns: what a duration remembers of the one before, from 0 to kMostMemory; 0 where that is within what chance makes of it.
double memory_of(const std::vector<double>& values) {
  constexpr std::size_t kFewest = 12;
  if (values.size() < kFewest) return 0;
  const double near = differences_of(values, 1, kFarOutlier).variance, far = differences_of(values, 2, kFarOutlier).variance;
  if (!(near > 0)) return 0;
  double low = 0, high = kMostMemory;
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (of_differences(middle, 2) / of_differences(middle, 1) < far / near ? low : high) = middle;
  }
  return low < 2 / std::sqrt(static_cast<double>(values.size())) ? 0 : low;
}

// Returns: variance of a long sum per duration, over that of second differences of sums of `block` each, of an autoregression.
double long_over_differences(std::size_t block, double memory) {
  const auto b = static_cast<double>(block);
  const double left = std::pow(memory, b), away = 1 - memory;
  const double sum = b * (1 + memory) / away - 2 * memory * (1 - left) / (away * away);
  const double next = memory * (1 - left) * (1 - left) / (away * away);
  return b * (1 + memory) / away / (6 * sum - 8 * next + 2 * left * next);
}

// Blocks of whole rounds, where the series goes round a cycle: their sums differ by far less than others.
std::pair<std::size_t, bool> block_of(std::span<const double> series) {
  constexpr std::size_t kFewestBlocks = 10;
  constexpr std::size_t kLongestCycle = 16;
  constexpr double kFarLess = 0.1; // chance does not make it
  const std::size_t usual = std::max<std::size_t>(1, series.size() / kBlocks);
  const auto unsteady = [&](std::size_t block) {
    return differences_of(sums_of(series, block), 1).variance * static_cast<double>(block);
  };
  const double of_usual = unsteady(usual);
  double least = of_usual;
  for (std::size_t block = usual + 1; block <= std::max(2 * usual, kLongestCycle); ++block)
    if (series.size() / block >= kFewestBlocks) least = std::min(least, unsteady(block));
  if (!(least < kFarLess * of_usual)) return {usual, false};
  for (std::size_t block = usual + 1;; ++block)
    if (unsteady(block) <= 2 * least) return {block, true};
}

// Returns: what single blocks that stand out add to the variance of the sum. `variance`: of a block, as a share.
double interruptions(const std::vector<double>& sums, double variance) {
  constexpr double kStandsOut = 3.5;
  double out = 0;
  for (std::size_t k = 1; k + 1 < sums.size(); ++k) {
    const double level = level_at(sums, k, 1);
    const double above = sums[k] - (sums[k - 1] + sums[k + 1]) / 2;
    const bool alike = std::abs(sums[k + 1] - sums[k - 1]) < kOutlier.deviations * std::sqrt(2 * variance) * level;
    if (alike && above > kStandsOut * std::sqrt(1.5 * variance) * level) out += above * above - 1.5 * variance * level * level;
  }
  return out;
}

} // namespace

SeriesNoise noise_of(std::span<const double> series) {
  SeriesNoise out;
  if (series.size() < kFewestOfSeries) return out;
  const auto [block, cycles] = block_of(series);
  const std::vector<double> singles(series.begin(), series.end());
  const double memory = cycles ? 0 : memory_of(singles);
  const std::vector<double> sums = sums_of(series, block);
  const Differences off = differences_of(sums, 1);
  const double of_block = off.variance * long_over_differences(block, memory);
  double variance = interruptions(sums, of_block);
  for (const double sum : sums) variance += of_block * sum * sum;
  const auto covered = static_cast<double>(sums.size() * block);
  variance *= static_cast<double>(series.size()) / covered;
  out.of_sum = std::sqrt(variance);
  out.degrees = std::max(4.0, static_cast<double>(off.kept) * 18 / 35); // second differences overlap
  double squares = 0;
  for (const double one : series) squares += one * one;
  const double new_in_each = differences_of(singles, 1).variance / of_differences(memory, 1);
  if (squares > 0) out.of_one = std::sqrt(std::min(new_in_each, variance / squares));
  return out;
}

double wider_than_normal(double degrees) {
  constexpr double kZ = 1.6448536269514722;
  constexpr double kZ2 = kZ * kZ;
  return 1 + (kZ2 + 1) / (4 * degrees) + (5 * kZ2 * kZ2 + 16 * kZ2 + 3) / (96 * degrees * degrees);
}

} // namespace farcast::base
