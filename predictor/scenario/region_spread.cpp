#include "predictor/scenario/region_spread.h"

#include "predictor/base/block_resampling.h"
#include "predictor/base/flat_map.h"
#include "predictor/base/normal_deviate.h"

#include <algorithm>
#include <cmath>

namespace farcast::scenario {

namespace {

constexpr std::uint64_t kFewDurations = 8; // of a region: fewer say little of their own scatter

double scatter_of(const std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return mean > 0 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) / mean : 0;
}

// What is usual in the run: half of its computation scatters more.
struct Usual {
  double scatter = 0;         // of a duration, relative; 0: no region tells
  double per_root_second = 0; // of computation that takes t seconds in all: this over sqrt(t), for what varies evens out
};

// Returns: the value below which half of the weight lies. `weighed`: value, weight.
double middle_of(std::vector<std::pair<double, double>> weighed) {
  std::sort(weighed.begin(), weighed.end());
  double all = 0;
  for (const auto& [value, weight] : weighed) all += weight;
  double below = 0;
  for (const auto& [value, weight] : weighed) {
    below += weight;
    if (2 * below >= all) return value;
  }
  return 0;
}

Usual usual_of(const std::map<std::pair<int, std::uint32_t>, DurationSeries>& all) {
  std::vector<std::pair<double, double>> scatter;
  std::vector<std::pair<double, double>> per_root_second;
  for (const auto& [key, series] : all) {
    if (series.durations() < kFewDurations || !(series.sum() > 0)) continue;
    const auto entries = static_cast<double>(series.entries().size());
    const double of_entry = scatter_of(series.entries());
    scatter.emplace_back(of_entry * std::sqrt(static_cast<double>(series.durations()) / entries), series.sum());
    per_root_second.emplace_back(of_entry * std::sqrt(series.sum() / entries), series.sum());
  }
  return {middle_of(std::move(scatter)), middle_of(std::move(per_root_second))};
}

std::vector<float> factors_of(const DurationSeries& series, const Usual& usual, std::size_t members, std::uint64_t seed) {
  std::vector<float> out(members, 1.0F);
  if (!(series.sum() > 0)) return out;
  if (series.durations() < kFewDurations) {
    const double error = std::min(usual.scatter / std::sqrt(static_cast<double>(series.durations())),
                                  usual.per_root_second / std::sqrt(series.sum()));
    for (std::size_t i = 0; i < members; ++i)
      out[i] = static_cast<float>(std::max(0.0, 1 + error * base::normal_deviate(seed + i)));
    return out;
  }
  const std::vector<double> sums = base::resampled_sums(series.entries(), base::block_length(series.entries()), members, seed);
  for (std::size_t i = 0; i < members; ++i) out[i] = static_cast<float>(std::max(0.0, sums[i] / series.sum()));
  return out;
}

} // namespace

void DurationSeries::add(double seconds) {
  ++durations_;
  sum_ += seconds;
  if (!entries_.empty() && in_last_ < per_entry_) {
    entries_.back() += seconds;
    ++in_last_;
    return;
  }
  if (entries_.size() == kMostEntries) {
    for (std::size_t i = 0; i < kMostEntries / 2; ++i) entries_[i] = entries_[2 * i] + entries_[2 * i + 1];
    entries_.resize(kMostEntries / 2);
    per_entry_ *= 2;
  }
  entries_.push_back(seconds);
  in_last_ = 1;
}

RegionSpread::RegionSpread(trace::Timelines& timelines, const trace::SiteTable& sites, std::size_t members) : members_(members) {
  std::map<std::pair<int, std::uint32_t>, DurationSeries> all;
  trace::Operation operation;
  for (int timeline = 0; timeline < timelines.timelines(); ++timeline) {
    std::vector<DurationSeries*> of_region; // a map's elements stay where they are
    while (timelines.next(timeline, operation)) {
      if (!(operation.compute.value() > 0)) continue;
      if (operation.region >= of_region.size()) of_region.resize(operation.region + 1, nullptr);
      DurationSeries*& series = of_region[operation.region];
      if (series == nullptr) series = &all[{timeline, operation.region}];
      series->add(operation.compute.value());
    }
  }
  const Usual usual = usual_of(all);
  for (const auto& [key, series] : all) {
    const auto& [timeline, region] = key;
    const std::uint64_t seed = base::mix_bits(base::mix_bits(static_cast<std::uint64_t>(timeline) + 1) + region);
    factors_[{timeline, sites.stacks_of(region)}] = factors_of(series, usual, members, seed);
  }
}

const std::vector<float>* RegionSpread::factors(int timeline, const Region& region) const {
  const auto found = factors_.find({timeline, region});
  return found == factors_.end() ? nullptr : &found->second;
}

double MemberFactors::of(int timeline, std::uint32_t region) {
  const auto row = static_cast<std::size_t>(timeline);
  if (row >= known_.size()) known_.resize(row + 1);
  if (region >= known_[row].size()) known_[row].resize(region + 1, 0.0);
  double& factor = known_[row][region];
  if (factor > 0) return factor;
  const std::vector<float>* const drawn = spread_->factors(timeline, sites_.stacks_of(region));
  factor = drawn == nullptr || member_ > drawn->size() ? 1.0 : std::max<double>((*drawn)[member_ - 1], 1e-6);
  return factor;
}

} // namespace farcast::scenario
