#include "calib/fit/statistics.h"

#include "calib/fit/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace farcast::fit {

namespace {

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double percentile_of_sorted(const std::vector<double>& sorted, double percent) {
  const double place = percent / 100.0 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = place - static_cast<double>(below);
  return part == 0.0 ? sorted[below] : sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

// Sums in sorted order, so that the order of the input cannot change a bit of the answer.
double mean_of_sorted(const std::vector<double>& sorted) {
  double sum = 0.0;
  for (const double value : sorted) sum += value;
  return sum / static_cast<double>(sorted.size());
}

double deviation_of_sorted(const std::vector<double>& sorted) {
  if (sorted.size() < 2) return 0.0;
  const double centre = mean_of_sorted(sorted);
  double squares = 0.0;
  for (const double value : sorted) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(sorted.size() - 1));
}

Estimate around(double value, double standard_error, double factor) {
  const double half = standard_error > 0.0 ? factor * standard_error : 0.0;
  return {value, standard_error, {value - half, value + half}};
}

Estimate of_one_value(double value) {
  const double infinity = std::numeric_limits<double>::infinity();
  return {value, infinity, {-infinity, infinity}};
}

} // namespace

double mean(std::span<const double> values) { return mean_of_sorted(sorted_copy(values)); }

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  const std::size_t middle = copy.size() / 2;
  std::nth_element(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(middle), copy.end());
  const double upper = copy[middle];
  if (copy.size() % 2 == 1) return upper;
  const double lower = *std::max_element(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(middle));
  return lower + 0.5 * (upper - lower);
}

double percentile(std::span<const double> values, double percent) { return percentile_of_sorted(sorted_copy(values), percent); }

std::vector<double> percentiles(std::span<const double> values, std::span<const double> percents) {
  const std::vector<double> sorted = sorted_copy(values);
  std::vector<double> answer;
  answer.reserve(percents.size());
  for (const double percent : percents) answer.push_back(percentile_of_sorted(sorted, percent));
  return answer;
}

double mad_scale(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> distances(values.begin(), values.end());
  for (double& value : distances) value = std::fabs(value - centre);
  return 1.482602218505602 * median(distances);
}

double standard_deviation(std::span<const double> values) { return deviation_of_sorted(sorted_copy(values)); }

Estimate mean_estimate(std::span<const double> values, double confidence) {
  return winsorised_mean_estimate(values, 0.0, confidence);
}

Estimate winsorised_mean_estimate(std::span<const double> values, double share, double confidence) {
  std::vector<double> sorted = sorted_copy(values);
  const std::size_t count = sorted.size();
  if (count < 2) return of_one_value(sorted.front());
  const auto cut = std::min(static_cast<std::size_t>(share * static_cast<double>(count)), (count - 1) / 2);
  for (std::size_t i = 0; i < cut; ++i) {
    sorted[i] = sorted[cut];
    sorted[count - 1 - i] = sorted[count - 1 - cut];
  }
  const std::size_t kept = count - 2 * cut;
  if (kept < 2) return of_one_value(sorted[cut]);
  // Tukey and McLaughlin (1963): the deviation of what was pulled in, stretched by the share that
  // was left alone.
  const double root = std::sqrt(static_cast<double>(count));
  const double error = deviation_of_sorted(sorted) / root * static_cast<double>(count - 1) / static_cast<double>(kept - 1);
  return around(mean_of_sorted(sorted), error, two_sided_factor(confidence, static_cast<double>(kept - 1)));
}

Estimate ratio_estimate(const Estimate& above, const Estimate& below, std::size_t samples, double confidence) {
  const double ratio = above.value / below.value, infinity = std::numeric_limits<double>::infinity();
  const double error =
      ratio > 0.0 ? std::hypot(above.standard_error / above.value, below.standard_error / below.value) : infinity;
  const double half = error > 0.0 ? two_sided_factor(confidence, static_cast<double>(samples) - 1.0) * error : 0.0;
  if (!std::isfinite(half)) return {ratio, infinity, {0.0, infinity}};
  return {ratio, ratio * error, {ratio * std::exp(-half), ratio * std::exp(half)}};
}

Estimate median_estimate(std::span<const double> values, double confidence) {
  return percentile_estimate(values, 50.0, confidence);
}

Estimate percentile_estimate(std::span<const double> values, double percent, double confidence) {
  const std::vector<double> sorted = sorted_copy(values);
  const std::size_t count = sorted.size();
  if (count < 2) return of_one_value(sorted.front());
  const double share = percent / 100.0, tail = 0.5 * (1.0 - confidence);
  // The largest rank with P(fewer than `low` values below the percentile) <= tail, and the smallest
  // with P(`high` or more) <= tail.
  std::size_t low = 0;
  while (low < count && binomial_below(low, count, share) <= tail) ++low;
  std::size_t high = 1;
  while (high < count && 1.0 - binomial_below(high - 1, count, share) > tail) ++high;
  const Interval interval{sorted[low == 0 ? 0 : low - 1], sorted[high - 1]};
  return {percentile_of_sorted(sorted, percent), 0.5 * (interval.high - interval.low) / normal_quantile(0.5 + 0.5 * confidence),
          interval};
}

Estimate bootstrap_estimate(std::span<const double> values, const std::function<double(std::span<const double>)>& statistic,
                            double confidence, std::size_t resamples, std::uint64_t seed) {
  std::mt19937_64 random(seed); // its numbers are fixed by the standard; std's distributions are not
  std::vector<double> resample(values.size()), answers;
  answers.reserve(resamples);
  for (std::size_t i = 0; i < resamples; ++i) {
    for (double& value : resample) value = values[random() % values.size()];
    answers.push_back(statistic(resample));
  }
  const double tail = 50.0 * (1.0 - confidence);
  const double ends[] = {tail, 100.0 - tail};
  const std::vector<double> found = percentiles(answers, ends);
  return {statistic(values), standard_deviation(answers), {found[0], found[1]}};
}

double pearson_squared(std::span<const double> x, std::span<const double> y) {
  const auto count = static_cast<double>(x.size());
  double mean_x = 0.0, mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  double xx = 0.0, yy = 0.0, xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (xx == 0.0 || yy == 0.0) return xx == yy ? 1.0 : 0.0;
  return xy * xy / (xx * yy);
}

} // namespace farcast::fit
