#include "calib/study/curves.h"

#include "calib/fit/statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace farcast::study {

namespace {

constexpr std::size_t kSteadySamples = 30; // of a section, where there are plenty of samples

} // namespace

fit::Estimate middle_of(const std::vector<fit::TimedSize>& figures) {
  std::vector<double> seconds;
  std::vector<int> batches;
  for (const fit::TimedSize& figure : figures) {
    seconds.push_back(figure.seconds);
    batches.push_back(figure.batch);
  }
  return seconds.empty() ? fit::Estimate{} : fit::batch_median_estimate(seconds, batches);
}

Line non_negative(const fit::Section& section, const std::vector<fit::TimedSize>& samples, double end, double shift) {
  const fit::Estimate& slope = section.per_byte_s;
  const Line fitted{section.base_s.value - shift * slope.value, slope.value, slope.interval};
  if (fitted.base_s >= 0.0 && fitted.per_byte_s >= 0.0) return fitted;
  std::vector<fit::TimedSize> figures;
  for (const fit::TimedSize& sample : samples) {
    const bool inside = sample.bytes > section.from_bytes || (section.from_bytes == 0.0 && sample.bytes == 0.0);
    if (!inside || sample.bytes > end) continue;
    const double part = fitted.per_byte_s < 0.0 ? 1.0 : std::max(1.0, sample.bytes + shift);
    figures.push_back({sample.bytes, sample.seconds / part, sample.batch});
  }
  if (figures.empty()) return {std::max(0.0, fitted.base_s), std::max(0.0, fitted.per_byte_s), slope.interval};
  const fit::Estimate middle = middle_of(figures);
  return fitted.per_byte_s < 0.0 ? Line{middle.value, 0.0, {}} : Line{0.0, middle.value, middle.interval};
}

double end_of(const fit::PiecewiseFit& fit, std::size_t section) {
  return section < fit.breaks.size() ? fit.breaks[section].bytes : HUGE_VAL;
}

std::vector<OverheadLine> overhead_lines(const Curve& curve) {
  std::vector<OverheadLine> lines;
  for (std::size_t i = 0; i < curve.fit.sections.size(); ++i) {
    const fit::Section& section = curve.fit.sections[i];
    const Line line = non_negative(section, curve.samples, end_of(curve.fit, i), 0.0);
    lines.push_back({section.from_bytes, line.base_s, line.per_byte_s});
  }
  return lines;
}

namespace {

// Returns: the correlation of base and slope of a line through these samples, were all as sure:
// -mean(x) / sqrt(mean(x^2)).
double correlation_of(const std::vector<fit::TimedSize>& samples, double from, double end) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const fit::TimedSize& sample : samples) {
    if ((sample.bytes <= from && from > 0) || sample.bytes > end) continue;
    sum += sample.bytes;
    squares += sample.bytes * sample.bytes;
    ++count;
  }
  return squares > 0 ? -sum / std::sqrt(squares * count) : 0;
}

} // namespace

platform::OverheadErrors overhead_errors(const Curve& curve) {
  platform::OverheadErrors errors;
  const std::vector<OverheadLine> lines = overhead_lines(curve);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const fit::Section& section = curve.fit.sections[i];
    const bool fitted = lines[i].base_s == section.base_s.value && lines[i].per_byte_s == section.per_byte_s.value;
    if (!fitted) continue;
    errors.push_back({section.from_bytes, section.base_s.standard_error, section.per_byte_s.standard_error,
                      correlation_of(curve.samples, section.from_bytes, end_of(curve.fit, i))});
  }
  return errors;
}

double overhead(const std::vector<OverheadLine>& lines, double bytes) {
  double seconds = 0.0;
  for (const OverheadLine& line : lines) {
    if (bytes > line.above_bytes || line.above_bytes == 0.0) seconds = line.base_s + line.per_byte_s * bytes;
  }
  return seconds;
}

std::vector<fit::TimedSize> timed_sizes(const std::vector<Sample>& samples) {
  std::vector<fit::TimedSize> sizes;
  sizes.reserve(samples.size());
  for (const Sample& sample : samples) sizes.push_back({sample.bytes, sample.seconds, sample.batch});
  return sizes;
}

Curve fit_curve(std::string name, std::vector<fit::TimedSize> samples, std::optional<double> known_break,
                const std::string& where, std::vector<std::string>& notes) {
  Curve curve{std::move(name), std::move(samples), {}};
  fit::PiecewiseOptions options;
  options.min_samples = std::clamp<std::size_t>(curve.samples.size() / 10, kLeastSamples, kSteadySamples);
  if (known_break) {
    const auto below = static_cast<std::size_t>(std::count_if(curve.samples.begin(), curve.samples.end(),
                                                              [&](const auto& sample) { return sample.bytes <= *known_break; }));
    if (below >= options.min_samples && curve.samples.size() - below >= options.min_samples)
      options.required_breaks_bytes.push_back(*known_break);
  }
  auto fitted = fit::fit_piecewise(curve.samples, options);
  if (!fitted && !options.required_breaks_bytes.empty()) { // too many outliers on one side: rather no break than no curve
    options.required_breaks_bytes.clear();
    fitted = fit::fit_piecewise(curve.samples, options);
  }
  if (fitted)
    curve.fit = std::move(*fitted);
  else
    notes.push_back(fmt::format("{} of {} was not fitted: {}", curve.name, where, fitted.error().message));
  return curve;
}

namespace {

// What messages took in each batch, as a share of what they take on the whole.
std::map<int, double> pace_of_batches(const Curve& one_way) {
  std::map<int, std::vector<double>> shares;
  for (const fit::TimedSize& sample : one_way.samples) {
    if (const double whole = one_way.fit(sample.bytes); whole > 0.0) shares[sample.batch].push_back(sample.seconds / whole);
  }
  std::map<int, double> pace;
  for (const auto& [batch, own] : shares) pace[batch] = fit::median(own);
  return pace;
}

} // namespace

void bound_samples(std::vector<fit::TimedSize>& samples, const Curve& one_way, const std::vector<OverheadLine>& before) {
  const std::map<int, double> pace = pace_of_batches(one_way);
  for (fit::TimedSize& sample : samples) {
    const double room = std::max(0.0, kMostOverhead * one_way.fit(sample.bytes) - overhead(before, sample.bytes));
    const auto own = sample.batch == fit::kNoBatch ? pace.end() : pace.find(sample.batch);
    sample.seconds = std::min(sample.seconds, own == pace.end() ? room : room * own->second);
  }
}

} // namespace farcast::study
