#include "predictor/energy/step_series.h"

#include <algorithm>
#include <cmath>

namespace farcast::energy {

namespace {

constexpr double kRounding = 1e-12; // of the largest value: what sums of changes leave

// Returns: the steps without those that go on with the value before.
std::vector<Step> different(const std::vector<Step>& steps) {
  double largest = 0;
  for (const Step& step : steps) largest = std::max(largest, std::abs(step.value));
  std::vector<Step> out;
  for (const Step& step : steps) {
    if (out.empty() || std::abs(out.back().value - step.value) > kRounding * largest) out.push_back(step);
  }
  return out;
}

} // namespace

StepSeries::StepSeries(std::size_t most) : most_(std::max<std::size_t>(2, most - most % 2)) {}

// Returns: the changes by time, one for each instant.
std::vector<StepSeries::Change> StepSeries::in_order(std::vector<Change> changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  std::vector<Change> out;
  for (const Change& change : changes) {
    if (!out.empty() && out.back().time == change.time)
      out.back().by += change.by;
    else
      out.push_back(change);
  }
  return out;
}

void StepSeries::add(double time, double change) {
  if (change == 0 || std::isinf(time)) return; // no end comes after it
  sum_ += change;
  moment_ += change * time;
  if (slice_s_ > 0) return add_to_slices({time, change});
  changes_.push_back({time, change});
  if (changes_.size() >= 2 * most_) compact();
}

// Halves the changes, or cuts time into slices.
void StepSeries::compact() {
  changes_ = in_order(std::move(changes_));
  if (changes_.size() <= most_) return;
  slice_s_ = 2 * changes_.back().time / static_cast<double>(most_);
  slices_.assign(most_ + 1, 0.0);
  for (const Change& change : changes_) add_to_slices(change);
  changes_.clear();
  changes_.shrink_to_fit();
}

void StepSeries::add_to_slices(Change change) {
  while (!(change.time / slice_s_ < static_cast<double>(most_))) double_slices();
  const double at = change.time / slice_s_;
  const auto slice = static_cast<std::size_t>(at);
  const double passed = at - static_cast<double>(slice); // of the slice
  slices_[slice] += change.by * (1 - passed);
  slices_[slice + 1] += change.by * passed;
}

void StepSeries::double_slices() {
  std::vector<double> doubled(most_ + 1, 0.0);
  for (std::size_t i = 0; i <= most_; ++i) {
    const bool inside = i % 2 == 1;
    doubled[i / 2] += inside ? slices_[i] / 2 : slices_[i];
    if (inside) doubled[i / 2 + 1] += slices_[i] / 2;
  }
  slices_ = std::move(doubled);
  slice_s_ *= 2;
}

std::vector<Step> StepSeries::of_changes(double end) const {
  std::vector<Step> all{{0.0, 0.0}};
  for (const Change& change : in_order(changes_)) {
    if (change.time >= end) break;
    const double value = all.back().value + change.by;
    if (change.time > 0)
      all.push_back({change.time, value});
    else
      all.front().value = value;
  }
  return different(all);
}

std::vector<Step> StepSeries::of_slices(double end) const {
  std::vector<Step> all;
  double value = 0, integral = 0;
  const auto whole = static_cast<std::size_t>(end / slice_s_);
  for (std::size_t i = 0; i < whole; ++i) {
    value += slices_[i];
    integral += value * slice_s_;
    all.push_back({static_cast<double>(i) * slice_s_, value});
  }
  // What is left is measured against the whole, so it had better be no sliver.
  const double begin = static_cast<double>(whole) * slice_s_;
  const double left = end * sum_ - moment_ - integral;
  if (end - begin > slice_s_ / 2 || all.empty()) {
    all.push_back({begin, left / (end - begin)});
  } else {
    Step& last = all.back();
    last.value = (left + last.value * slice_s_) / (end - last.begin);
  }
  return different(all);
}

std::vector<Step> StepSeries::steps(double end) const {
  if (!(end > 0)) return {};
  if (slice_s_ == 0 && changes_.size() <= most_) return of_changes(end);
  StepSeries series = *this;
  if (series.slice_s_ == 0) series.compact();
  if (series.slice_s_ == 0) return series.of_changes(end);
  while (!(end / series.slice_s_ < static_cast<double>(most_))) series.double_slices();
  return series.of_slices(end);
}

double integral_of(const std::vector<Step>& steps, double end) {
  double sum = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    sum += steps[i].value * ((i + 1 < steps.size() ? steps[i + 1].begin : end) - steps[i].begin);
  return sum;
}

} // namespace farcast::energy
