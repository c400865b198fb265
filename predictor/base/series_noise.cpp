#include "predictor/base/series_noise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace farcast::base {

namespace {

constexpr std::size_t kBlocks = 40; // of a long series
// Standard deviations beyond which a second difference belongs to a step, and the variance of a
// normal distribution that is cut there.
struct Bound {
  double deviations;
  double kept;
};
constexpr Bound kOutlier{3, 0.9733};
constexpr Bound kFarOutlier{5, 1.0};       // where the shape of the distribution must not matter
constexpr double kStep = 4;                // deviations; of three differences at once
constexpr double kMedianOfNormal = 0.6745; // of the absolute deviate
constexpr double kFarLess = 0.1;           // a variance over another one: chance does not make it
constexpr double kMostMemory = 0.8;
constexpr double kErrorOfMemory = 1.2; // standard error of what has no memory, times the root of the number of durations

struct Differences {
  double variance = 0; // of B(k-d) - 2 B(k) + B(k+d), as a share of the level
  double kept = 0;     // so many count as much: each by the square of its level, as it does in the sum
};

double level_at(const std::vector<double>& values, std::size_t k, std::size_t distance) {
  return (values[k - distance] + 2 * values[k] + values[k + distance]) / 4;
}

double share_of(double value, double level) { return level > 0 ? value / level : 0; }

double middle_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Requires: more than twice the distance. `steps`: in order; what spans one does not count.
Differences differences_of(const std::vector<double>& values, std::size_t distance, Bound outlier = kOutlier,
                           const std::vector<std::size_t>& steps = {}) {
  std::vector<double> off;
  std::vector<double> levels;
  auto step = steps.begin();
  for (std::size_t k = distance; k + distance < values.size(); ++k) {
    while (step != steps.end() && *step <= k - distance) ++step;
    if (step != steps.end() && *step <= k + distance) continue;
    levels.push_back(level_at(values, k, distance));
    off.push_back(std::abs(share_of(values[k - distance] - 2 * values[k] + values[k + distance], levels.back())));
  }
  if (off.empty()) return {};
  const double bound = outlier.deviations * middle_of(off) / kMedianOfNormal;
  Differences out;
  double weights = 0, squares = 0;
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (off[i] > bound) continue;
    const double weight = levels[i] * levels[i];
    out.variance += weight * off[i] * off[i];
    weights += weight;
    squares += weight * weight;
  }
  if (!(weights > 0)) return {};
  out.variance /= outlier.kept * weights;
  out.kept = weights * weights / squares;
  return out;
}

std::vector<double> sums_of(std::span<const double> series, std::size_t block) {
  std::vector<double> out;
  for (std::size_t from = 0; from + block <= series.size(); from += block)
    out.push_back(std::accumulate(series.begin() + static_cast<std::ptrdiff_t>(from),
                                  series.begin() + static_cast<std::ptrdiff_t>(from + block), 0.0));
  return out;
}

// Returns: the first of each level that the series steps to and stays at: it is as far from the two
// before as the next one is. An interruption is back at once.
std::vector<std::size_t> steps_of(const std::vector<double>& values) {
  const auto apart = [&](std::size_t k, std::size_t other) {
    return share_of(values[k] - values[other], values[k] + values[other]);
  };
  std::vector<double> off;
  for (std::size_t k = 1; k < values.size(); ++k) off.push_back(std::abs(apart(k, k - 1)));
  const double bound = kStep * middle_of(off) / kMedianOfNormal;
  std::vector<std::size_t> out;
  for (std::size_t k = 2; k + 1 < values.size(); ++k) {
    if (std::abs(apart(k, k - 1)) > bound && std::abs(apart(k, k - 2)) > bound && std::abs(apart(k + 1, k - 1)) > bound)
      out.push_back(k);
  }
  return out;
}

// Returns: variance of second differences of an autoregression of variance 1, at a distance.
double of_differences(double memory, std::size_t distance) {
  const double one = std::pow(memory, static_cast<double>(distance));
  return 6 - 8 * one + 2 * one * one;
}

// Returns: the mean at distances that are far from one.
template <class OfDistance> double over_far_distances(OfDistance of_distance) {
  double sum = 0;
  for (std::size_t distance = 3; distance <= 6; ++distance) sum += of_distance(distance);
  return sum / 4;
}

// Returns: variance of a long sum per duration, over that of second differences of sums of `block`
// each, of an autoregression.
double long_over_differences(double b, double memory) {
  const double left = std::pow(memory, b), away = 1 - memory;
  const double sum = b * long_over_one(memory) - 2 * memory * (1 - left) / (away * away);
  const double next = memory * (1 - left) * (1 - left) / (away * away);
  return b * long_over_one(memory) / (6 * sum - 8 * next + 2 * left * next);
}

// Blocks of whole rounds, where the series goes round a cycle: their sums differ by far less than
// others.
std::pair<std::size_t, bool> block_of(std::span<const double> series) {
  constexpr std::size_t kFewestBlocks = 10;
  constexpr std::size_t kLongestCycle = 16;
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

// Returns: the number of durations after which the series is what it was, where neighbours are by
// far less alike; 0: none.
std::size_t round_of(const std::vector<double>& values) {
  constexpr std::size_t kFewest = 20;      // differences that tell
  constexpr std::size_t kLongest = 64;     // what is longer would take longer to find
  constexpr double kSizes = 6 * 0.3 * 0.3; // variance of differences: sizes that differ by less are little beside noise
  const double of_neighbours = differences_of(values, 1, kFarOutlier).variance;
  if (values.size() < kFewest || of_neighbours < kSizes) return 0;
  double least = kFarLess * of_neighbours;
  std::size_t out = 0;
  const std::size_t longest = std::min({kLongest, values.size() / 3, (values.size() - kFewest) / 2});
  for (std::size_t distance = 2; distance <= longest; ++distance) {
    const double variance = differences_of(values, distance, kFarOutlier).variance;
    if (!(variance < least)) continue;
    least = variance;
    out = distance;
  }
  return out;
}

// Returns: what single blocks that stand out add to the variance of the sum. `variance`: of a
// block, as a share; `distance`: to those that are alike.
double interruptions(const std::vector<double>& sums, double variance, std::size_t distance = 1) {
  constexpr double kStandsOut = 3.5;
  double out = 0;
  for (std::size_t k = distance; k + distance < sums.size(); ++k) {
    const double before = sums[k - distance], behind = sums[k + distance];
    const double level = level_at(sums, k, distance);
    const double above = sums[k] - (before + behind) / 2;
    const bool alike = std::abs(behind - before) < kOutlier.deviations * std::sqrt(2 * variance) * level;
    if (alike && above > kStandsOut * std::sqrt(1.5 * variance) * level) out += above * above - 1.5 * variance * level * level;
  }
  return out;
}

} // namespace

double long_over_one(double memory) { return (1 + memory) / (1 - memory); }

void Memory::add(std::span<const double> series) {
  if (series.size() < kFewestOfSeries) return;
  const std::vector<double> values(series.begin(), series.end());
  const std::vector<std::size_t> steps = steps_of(values);
  const double near = differences_of(values, 1, kFarOutlier, steps).variance;
  const double far =
      over_far_distances([&](auto distance) { return differences_of(values, distance, kFarOutlier, steps).variance; });
  const auto seen = static_cast<double>(series.size());
  near_ += near * seen;
  far_ += far * seen;
  seen_ += seen;
}

double Memory::value() const {
  if (!(near_ > 0)) return 0;
  double low = 0, high = kMostMemory;
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    const double far = over_far_distances([&](auto distance) { return of_differences(middle, distance); });
    (far / of_differences(middle, 1) < far_ / near_ ? low : high) = middle;
  }
  return low < 2 * kErrorOfMemory / std::sqrt(seen_) ? 0 : low;
}

namespace {

// Of a series that goes round a cycle too seldom for sums of whole rounds: against the same place
// of the rounds before and behind.
SeriesNoise noise_of_rounds(const std::vector<double>& values, std::size_t round) {
  SeriesNoise out;
  out.block = round;
  const Differences off = differences_of(values, round);
  const double of_each = off.variance / of_differences(0, round);
  const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  out.of_sum = std::sqrt(of_each * squares + interruptions(values, of_each, round));
  out.degrees = std::max(4.0, off.kept * 18 / 35);
  out.of_one = std::sqrt(of_each);
  return out;
}

} // namespace

SeriesNoise noise_of(std::span<const double> series, double memory, std::uint64_t each) {
  SeriesNoise out;
  if (series.size() < kFewestOfSeries) return out;
  const auto [block, cycles] = block_of(series);
  if (!cycles) {
    const std::vector<double> values(series.begin(), series.end());
    if (const std::size_t round = round_of(values); round > 0) return noise_of_rounds(values, round);
  }
  out.block = block;
  out.memory = cycles ? 0 : memory;
  const std::vector<double> sums = sums_of(series, block);
  const Differences off = differences_of(sums, 1, kOutlier, steps_of(sums));
  const double of_block = off.variance * long_over_differences(static_cast<double>(block * each), out.memory);
  double variance = interruptions(sums, of_block);
  for (const double sum : sums) variance += of_block * sum * sum;
  variance *= static_cast<double>(series.size()) / static_cast<double>(sums.size() * block);
  out.of_sum = std::sqrt(variance);
  out.degrees = std::max(4.0, off.kept * 18 / 35); // second differences overlap
  const std::vector<double> singles(series.begin(), series.end());
  const double of_each = differences_of(singles, 1, kOutlier, steps_of(singles)).variance / of_differences(out.memory, 1);
  const double squares = std::inner_product(series.begin(), series.end(), series.begin(), 0.0);
  if (squares > 0) out.of_one = std::sqrt(std::min(of_each, variance / squares / long_over_one(out.memory)));
  return out;
}

double wider_than_normal(double degrees) {
  constexpr double kZ = 1.6448536269514722;
  constexpr double kZ2 = kZ * kZ;
  return 1 + (kZ2 + 1) / (4 * degrees) + (5 * kZ2 * kZ2 + 16 * kZ2 + 3) / (96 * degrees * degrees);
}

} // namespace farcast::base
