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

// Returns: the relative scatter of one duration that half of the run's computation exceeds; 0: no region tells.
double usual_scatter(const std::map<std::pair<int, std::uint32_t>, DurationSeries>& all) {
  std::vector<std::pair<double, double>> weighed; // scatter, seconds
  double seconds = 0;
  for (const auto& [key, series] : all) {
    if (series.durations() < kFewDurations || !(series.sum() > 0)) continue;
    const auto per_entry = static_cast<double>(series.durations()) / static_cast<double>(series.entries().size());
    weighed.emplace_back(scatter_of(series.entries()) * std::sqrt(per_entry), series.sum());
    seconds += series.sum();
  }
  std::sort(weighed.begin(), weighed.end());
  double below = 0;
  for (const auto& [scatter, of] : weighed) {
    below += of;
    if (2 * below >= seconds) return scatter;
  }
  return 0;
}

std::vector<float> factors_of(const DurationSeries& series, double usual, std::size_t members, std::uint64_t seed) {
  std::vector<float> out(members, 1.0F);
  if (!(series.sum() > 0)) return out;
  if (series.durations() < kFewDurations) {
    const double error = usual / std::sqrt(static_cast<double>(series.durations()));
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
  const double usual = usual_scatter(all);
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
