#include "calib/fit/slowdown.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace farcast::fit {

namespace {

constexpr double kWinsorised = 0.02; // at each end

// Pool adjacent violators: the nearest rising values in weighted squares.
std::vector<double> rising_fit(std::span<const double> values, std::span<const double> weights) {
  struct Pool {
    double sum, weight;
    std::size_t count;
    [[nodiscard]] double level() const { return sum / weight; }
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < values.size(); ++i) {
    pools.push_back({values[i] * weights[i], weights[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].level() > pools.back().level()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight, pools.back().count + last.count};
    }
  }
  std::vector<double> answer;
  for (const Pool& pool : pools) answer.insert(answer.end(), pool.count, pool.level());
  return answer;
}

std::vector<double> falling_fit(std::vector<double> values, std::span<const double> weights) {
  for (double& value : values) value = -value;
  values = rising_fit(values, weights);
  for (double& value : values) value = -value;
  return values;
}

// Cost alone and with co-runners, and their ratio.
std::vector<SlowdownPoint> measure(const std::map<int, std::vector<double>>& by_corunners, double confidence) {
  std::vector<SlowdownPoint> points;
  for (const auto& [corunners, seconds] : by_corunners) {
    SlowdownPoint point;
    point.corunners = corunners;
    point.samples = seconds.size();
    point.seconds = winsorised_mean_estimate(seconds, kWinsorised, confidence);
    const double centre = median(seconds);
    point.spread = centre > 0.0 ? mad_scale(seconds) / centre : 0.0;
    points.push_back(point);
  }
  const Estimate alone = points.front().seconds;
  for (SlowdownPoint& point : points) {
    point.slowdown = point.corunners == 1
                         ? Estimate{1.0, 0.0, {1.0, 1.0}}
                         : ratio_estimate(point.seconds, alone, std::min(point.samples, points.front().samples), confidence);
    point.measured = point.slowdown.value;
  }
  return points;
}

// Whether the pooled values, from the second number of co-runners on, lie within what was measured.
bool agrees(std::span<const SlowdownPoint> points, std::span<const double> pooled) {
  for (std::size_t i = 0; i < pooled.size(); ++i)
    if (!points[i + 1].slowdown.interval.contains(pooled[i])) return false;
  return true;
}

} // namespace

double SlowdownCurve::operator()(double corunners) const {
  if (corunners <= points.front().corunners) return points.front().slowdown.value;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const SlowdownPoint &below = points[i - 1], &above = points[i];
    if (corunners > above.corunners) continue;
    const double part = (corunners - below.corunners) / (above.corunners - below.corunners);
    return below.slowdown.value + part * (above.slowdown.value - below.slowdown.value);
  }
  return points.back().slowdown.value;
}

base::Result<SlowdownCurve> fit_slowdown(std::span<const CorunnerSample> samples, double confidence) {
  std::map<int, std::vector<double>> by_corunners;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].corunners < 1)
      return base::fail(fmt::format("sample {} has {} co-runners, at least 1 is needed", i + 1, samples[i].corunners));
    if (!(samples[i].seconds >= 0.0 && std::isfinite(samples[i].seconds)))
      return base::fail(fmt::format("sample {} took {} seconds, which is negative or not finite", i + 1, samples[i].seconds));
    by_corunners[samples[i].corunners].push_back(samples[i].seconds);
  }
  if (by_corunners.empty() || by_corunners.begin()->first != 1)
    return base::fail("no sample of the region alone: slowdown has nothing to compare with");
  if (winsorised_mean_estimate(by_corunners.begin()->second, kWinsorised, confidence).value <= 0.0)
    return base::fail("the region alone took no time: slowdown has nothing to compare with");

  SlowdownCurve curve;
  curve.points = measure(by_corunners, confidence);
  // Alone it is 1 by definition: with that bound, the nearest rising curve is the one of the
  // others, no lower than 1.
  std::vector<double> measured, weights;
  for (const SlowdownPoint& point : std::span(curve.points).subspan(1)) {
    const double error = point.slowdown.standard_error;
    measured.push_back(point.measured);
    // Without an interval a point only counts where nothing else does.
    weights.push_back(std::isfinite(error) && error > 0.0 ? 1.0 / (error * error) : 1.0);
  }
  std::vector<double> rising = rising_fit(measured, weights), falling = falling_fit(measured, weights);
  for (double& value : rising) value = std::max(value, 1.0);
  for (double& value : falling) value = std::min(value, 1.0);
  if (agrees(curve.points, rising)) {
    curve.shape = SlowdownShape::rising;
    measured = std::move(rising);
  } else if (agrees(curve.points, falling)) {
    curve.shape = SlowdownShape::falling;
    measured = std::move(falling);
  } else {
    curve.shape = SlowdownShape::free;
  }
  for (std::size_t i = 0; i < measured.size(); ++i) curve.points[i + 1].slowdown.value = measured[i];
  return curve;
}

} // namespace farcast::fit
