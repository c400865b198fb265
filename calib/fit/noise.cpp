#include "calib/fit/noise.h"

#include "calib/fit/linear.h"
#include "calib/fit/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace farcast::fit {

namespace {

constexpr std::size_t kBin = 40;       // differences per bin of the level
constexpr std::size_t kWindow = 60;    // differences that a local factor is taken from
constexpr double kTrustInModel = 60.0; // differences that the model is worth against the window
constexpr std::size_t kNeighbours = 6; // on each side, for outliers
// Noise of y minus what a line through six neighbours says, in noise scales.
constexpr double kExtrapolated = 1.4; // all on one side
constexpr double kBetween = 1.1;      // three on each

struct Difference {
  std::size_t sample = 0;
  double level = 0.0;
  double value = 0.0; // as noisy as one sample
};

std::vector<Difference> second_differences(std::span<const double> x, std::span<const double> y, std::span<const double> level,
                                           std::span<const char> kept) {
  std::vector<std::size_t> in;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (kept[i]) in.push_back(i);
  std::vector<Difference> answer;
  for (std::size_t k = 1; k + 1 < in.size(); ++k) {
    const std::size_t a = in[k - 1], b = in[k], c = in[k + 1];
    const double part = x[c] > x[a] ? (x[b] - x[a]) / (x[c] - x[a]) : 0.5;
    const double gain = std::sqrt(1.0 + part * part + (1.0 - part) * (1.0 - part));
    answer.push_back({b, level[b], (y[b] - (1.0 - part) * y[a] - part * y[c]) / gain});
  }
  return answer;
}

double scale_of(std::span<const Difference> differences) {
  std::vector<double> sizes;
  sizes.reserve(differences.size());
  for (const Difference& difference : differences) sizes.push_back(std::fabs(difference.value));
  return 1.482602218505602 * median(sizes); // they are centred at 0 by construction
}

// additive and relative from bins of the level: scale^2 = additive^2 + relative^2 level^2, each bin
// by its own precision.
NoiseModel fit_model(std::vector<Difference> differences) {
  if (differences.empty()) return {};
  std::sort(differences.begin(), differences.end(), [](const Difference& a, const Difference& b) { return a.level < b.level; });
  const std::size_t bins = std::max<std::size_t>(1, differences.size() / kBin);
  std::vector<double> squares, levels;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t first = bin * differences.size() / bins, end = (bin + 1) * differences.size() / bins;
    const std::span<const Difference> part(differences.data() + first, end - first);
    levels.push_back(part[part.size() / 2].level);
    const double scale = scale_of(part);
    squares.push_back(scale * scale);
  }
  if (bins == 1) return {0.0, levels[0] > 0.0 ? std::sqrt(squares[0]) / levels[0] : 0.0};
  Matrix regressors(bins, 2);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    regressors(bin, 0) = 1.0;
    regressors(bin, 1) = levels[bin] * levels[bin];
  }
  // A bin's variance is known to a share of itself: weight by what is expected there, in two steps
  // from what was found there.
  std::vector<double> expected = squares;
  NoiseModel model;
  const double least = 1e-12 * *std::max_element(squares.begin(), squares.end());
  for (int step = 0; step < 3; ++step) {
    std::vector<double> weights;
    weights.reserve(bins);
    for (const double value : expected) weights.push_back(1.0 / ((value + least) * (value + least) + 1e-300));
    const auto fit = fit_non_negative(regressors, squares, weights);
    if (!fit) break;
    model = {std::sqrt(fit->coefficient[0].value), std::sqrt(fit->coefficient[1].value)};
    for (std::size_t bin = 0; bin < bins; ++bin) expected[bin] = model(levels[bin]) * model(levels[bin]);
  }
  return model;
}

// What a line through the given neighbours (medians of slopes and of offsets, Theil and Sen) says at x.
double expected_by(std::span<const double> x, std::span<const double> y, std::span<const std::size_t> neighbours, double at) {
  std::array<double, kNeighbours*(kNeighbours - 1) / 2> slopes{};
  std::array<double, kNeighbours> offsets{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    for (std::size_t j = i + 1; j < neighbours.size(); ++j)
      if (x[neighbours[j]] != x[neighbours[i]])
        slopes[count++] = (y[neighbours[j]] - y[neighbours[i]]) / (x[neighbours[j]] - x[neighbours[i]]);
  const double slope = count == 0 ? 0.0 : median({slopes.data(), count});
  for (std::size_t i = 0; i < neighbours.size(); ++i) offsets[i] = y[neighbours[i]] - slope * x[neighbours[i]];
  return slope * at + median({offsets.data(), neighbours.size()});
}

} // namespace

double NoiseModel::operator()(double level) const { return std::hypot(additive, relative * level); }

Noise estimate_noise(std::span<const double> x, std::span<const double> y, std::span<const double> level,
                     std::span<const char> kept, double least_relative) {
  const std::vector<Difference> differences = second_differences(x, y, level, kept);
  Noise noise;
  noise.model = fit_model(differences);
  noise.model.relative = std::max(noise.model.relative, least_relative);
  // Levels of 0 without additive noise would weigh infinitely.
  const double least = 1e-9 * *std::max_element(level.begin(), level.end());
  noise.model.additive = std::max(noise.model.additive, least);

  std::vector<Difference> relative = differences;
  for (Difference& difference : relative) difference.value /= noise.model(difference.level);
  std::size_t at = 0;
  noise.scale.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    while (at + 1 < relative.size() && relative[at].sample < i) ++at;
    const std::size_t count = std::min(kWindow, relative.size());
    const std::size_t first = std::min(at > count / 2 ? at - count / 2 : 0, relative.size() - count);
    const double local = count == 0 ? 0.0 : scale_of({relative.data() + first, count});
    const auto trust = static_cast<double>(count);
    const double factor = std::sqrt((trust * local * local + kTrustInModel) / (trust + kTrustInModel));
    noise.scale.push_back(std::max(noise.model(level[i]) * factor, least_relative * level[i]));
  }
  return noise;
}

std::vector<double> running_median(std::span<const double> y) {
  constexpr std::size_t kHalf = 3;
  std::vector<double> answer;
  answer.reserve(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t first = i > kHalf ? i - kHalf : 0, end = std::min(y.size(), i + kHalf + 1);
    answer.push_back(median(y.subspan(first, end - first)));
  }
  return answer;
}

std::vector<char> screen_outliers(std::span<const double> x, std::span<const double> y, std::span<const double> scale,
                                  double limit) {
  std::vector<char> kept(x.size(), 1);
  const auto agrees = [&](std::size_t i, std::span<const std::size_t> neighbours, double gain) {
    return std::fabs(y[i] - expected_by(x, y, neighbours, x[i])) <= limit * gain * scale[i];
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::array<std::size_t, kNeighbours> below{}, above{}, around{};
    const std::size_t left = std::min(i, kNeighbours), right = std::min(x.size() - 1 - i, kNeighbours);
    for (std::size_t k = 0; k < left; ++k) below[k] = i - left + k;
    for (std::size_t k = 0; k < right; ++k) above[k] = i + 1 + k;
    const std::size_t half_left = std::min(left, kNeighbours / 2), half_right = std::min(right, kNeighbours / 2);
    for (std::size_t k = 0; k < half_left; ++k) around[k] = i - half_left + k;
    for (std::size_t k = 0; k < half_right; ++k) around[half_left + k] = i + 1 + k;
    // A side with fewer neighbours says nothing reliable.
    const bool fits = (left == kNeighbours && agrees(i, below, kExtrapolated)) ||
                      (right == kNeighbours && agrees(i, above, kExtrapolated)) ||
                      agrees(i, {around.data(), half_left + half_right}, kBetween);
    if (!fits) kept[i] = 0;
  }
  return kept;
}

} // namespace farcast::fit
