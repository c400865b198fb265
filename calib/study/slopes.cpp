#include "calib/study/slopes.h"

#include "calib/fit/statistics.h"

#include <algorithm>
#include <cmath>

namespace farcast::study {

namespace {

constexpr double kDifferentSize = 0.1; // two samples give a slope when their sizes differ by so much

} // namespace

std::optional<double> slope_between(const Sample& a, const Sample& b) {
  const double bytes = a.bytes - b.bytes;
  if (std::abs(bytes) <= kDifferentSize * std::max(a.bytes, b.bytes)) return std::nullopt;
  return (a.seconds - b.seconds) / bytes;
}

double median_slope(const std::vector<Sample>& samples) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (const auto slope = slope_between(samples[i], samples[j])) slopes.push_back(*slope);
    }
  }
  return slopes.empty() ? 0.0 : fit::median(slopes);
}

void thin_out(std::vector<Sample>& samples, std::size_t most) {
  if (samples.size() <= most) return;
  for (std::size_t i = 0; i < most; ++i) samples[i] = samples[i * samples.size() / most];
  samples.resize(most);
}

} // namespace farcast::study
