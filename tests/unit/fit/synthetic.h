// Times of messages with known truth: straight sections, jumps of a chosen contrast, noise and
// outliers, all from a seed.
//
// Contrasts. The noise of one sample of time y is s = sqrt((relative * y)^2 + additive^2), relative
// 1 .. 20 %. A break's neighbourhood is the m samples next to it; a jump of at least 5 s / sqrt(m),
// s taken half-way up, makes it sharp.
#pragma once

#include "calib/fit/piecewise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace synthetic {

using farcast::fit::TimedSize;

class Random { // std's distributions differ between libraries
public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) { return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53); }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  std::size_t below(std::size_t count) { return engine_() % count; }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(0.0, 1.0)));
    return radius * std::cos(2.0 * std::numbers::pi * uniform(0.0, 1.0));
  }

private:
  std::mt19937_64 engine_;
};

struct Truth {
  struct Line {
    double base, slope;
  };
  struct Break {
    std::size_t samples_below;
    double jump_over_noise; // of one sample
    bool sharp;
  };
  std::vector<Line> sections;
  std::vector<Break> breaks;
  std::vector<TimedSize> samples; // in random order
  double relative_noise = 0.0, additive_noise = 0.0;
};

struct Generator {
  std::size_t least_samples = 300, most_samples = 900;
  std::size_t least_section = 25; // samples
  std::size_t least_sections = 2, most_sections = 7;
  double least_noise = 0.01, most_noise = 0.2;
  double outliers = 0.02;
  double weak = 0.0; // share of breaks that are not sharp: jump 0 .. sharp, often only a bend
  // m. With 2 (the sample on each side) whoever knows both lines places the smallest sharp jump
  // within one sample in 99.2 %, by greatest likelihood; with 4 in 94.1 %, and no method can do
  // better.
  double neighbourhood = 2.0;
  double most_contrast = 4.0; // times the least that is sharp

  [[nodiscard]] Truth operator()(std::uint64_t seed) const;
};

// Section sizes: least_section each, the rest shared out at random.
inline std::vector<std::size_t> random_cuts(Random& random, std::size_t samples, std::size_t sections, std::size_t least) {
  std::vector<std::size_t> extra{0, samples - least * sections};
  for (std::size_t k = 1; k < sections; ++k) extra.push_back(random.below(samples - least * sections + 1));
  std::sort(extra.begin(), extra.end());
  std::vector<std::size_t> cuts{0};
  for (std::size_t k = 1; k <= sections; ++k) cuts.push_back(extra[k] + k * least);
  return cuts;
}

// A jump of that contrast, by the noise half-way: noise that grows with the time is another on each
// side. A fifth of noise cannot carry every contrast: at most six times the time before. Downwards
// at most to half of it, else upwards.
template <class Noise> double jump_of(double contrast, double before, bool downwards, const Noise& noise) {
  const auto solve = [&](double direction, double most) { // the smallest jump that reaches the contrast
    double low = 0.0, high = most;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (middle < contrast * noise(before + 0.5 * direction * middle) ? low : high) = middle;
    }
    return high;
  };
  const double down = solve(-1.0, 0.5 * before);
  return downwards && down < 0.499 * before ? -down : solve(1.0, 6.0 * before);
}

inline Truth Generator::operator()(std::uint64_t seed) const {
  Random random(seed);
  Truth truth;
  truth.relative_noise = random.log_uniform(least_noise, most_noise);
  const std::size_t sections = least_sections + random.below(most_sections - least_sections + 1);
  const std::size_t count = least_samples + random.below(most_samples - least_samples + 1);
  std::vector<double> sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(std::floor(random.log_uniform(1e2, 4e6)) + random.uniform(0.0, 1.0));
  std::sort(sizes.begin(), sizes.end());
  const std::vector<std::size_t> cuts = random_cuts(random, count, sections, least_section);
  double value = 5e-6; // seconds at the start of the section
  truth.additive_noise = random.chance(0.5) ? random.uniform(0.0, 1.0) * truth.relative_noise * value : 0.0;
  const auto noise = [&](double y) { return std::hypot(truth.additive_noise, truth.relative_noise * y); };
  for (std::size_t k = 0; k < sections; ++k) {
    const double first = sizes[cuts[k]], last = sizes[cuts[k + 1] - 1];
    if (k > 0) {
      const double before = truth.sections.back().base + truth.sections.back().slope * first;
      const double least_sharp = 5.0 / std::sqrt(neighbourhood);
      const bool sharp = !random.chance(weak);
      double contrast = sharp ? random.log_uniform(least_sharp, most_contrast * least_sharp)
                              : (random.chance(0.5) ? 0.0 : random.uniform(0.0, least_sharp));
      value = before + jump_of(contrast, before, random.chance(0.3), noise);
      truth.breaks.push_back({cuts[k], std::fabs(value - before) / noise(0.5 * (before + value)), sharp});
    }
    // From flat to proportional: the line's base is never negative.
    const double growth = random.chance(0.2) ? 1.0 : random.log_uniform(1.0, last / first);
    const double slope = value * (growth - 1.0) / (last - first);
    truth.sections.push_back({value - slope * first, slope});
    for (std::size_t i = cuts[k]; i < cuts[k + 1]; ++i) {
      const double exact = truth.sections.back().base + slope * sizes[i];
      double measured = exact + noise(exact) * random.normal();
      if (random.chance(
              outliers)) { // four of five are late, by 50 .. 900 % and at least 6 noise scales; the others early by half of that
        const double distance = std::max(exact * random.log_uniform(0.5, 9.0), 6.0 * noise(exact));
        measured = exact + (random.chance(0.8) ? distance : -0.5 * distance);
      }
      truth.samples.push_back({sizes[i], std::max(measured, 0.02 * exact)});
    }
  }
  for (std::size_t i = truth.samples.size(); i > 1; --i) std::swap(truth.samples[i - 1], truth.samples[random.below(i)]);
  return truth;
}

} // namespace synthetic
