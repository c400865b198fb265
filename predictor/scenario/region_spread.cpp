#include "predictor/scenario/region_spread.h"

#include "predictor/base/flat_map.h"
#include "predictor/base/normal_deviate.h"
#include "predictor/base/series_noise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace farcast::scenario {

namespace {

constexpr double kMostOfOne = 0.5; // noise of a single duration beyond it counts in all together: none gets near 0
constexpr double kNoMore = 1e-6;   // of a factor

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

using AllSeries = std::map<std::pair<int, std::uint32_t>, DurationSeries>;

Usual usual_of(const AllSeries& all) {
  std::vector<std::pair<double, double>> scatter;
  std::vector<std::pair<double, double>> per_root_second;
  for (const auto& [key, series] : all) {
    if (series.durations() < base::kFewestOfSeries || !(series.sum() > 0)) continue;
    const double of_sum = base::noise_of(series.entries()).of_sum;
    scatter.emplace_back(of_sum / series.sum() * std::sqrt(static_cast<double>(series.durations())), series.sum());
    per_root_second.emplace_back(of_sum / std::sqrt(series.sum()), series.sum());
  }
  return {middle_of(std::move(scatter)), middle_of(std::move(per_root_second))};
}

// Standard errors, as shares.
struct Errors {
  double of_one = 0; // of what is new in each duration
  double of_all = 0; // of what they have in common
};

Errors errors_of(const DurationSeries& series, const Usual& usual) {
  if (series.durations() < base::kFewestOfSeries)
    return {0, std::min(usual.scatter / std::sqrt(static_cast<double>(series.durations())),
                        usual.per_root_second / std::sqrt(series.sum()))};
  const base::SeriesNoise all = base::noise_of(series.entries());
  const double wider = base::wider_than_normal(all.degrees);
  const double of_sum = wider * all.of_sum;
  const double of_each = wider * base::noise_of(series.singles()).of_one;
  const double of_one = std::min({of_each, of_sum / std::sqrt(series.squares()), kMostOfOne});
  const double rest = of_sum * of_sum - of_one * of_one * series.squares();
  return {of_one, std::sqrt(std::max(0.0, rest)) / series.sum()};
}

RegionNoise noise_with(const Errors& errors, double times, std::size_t members, std::uint64_t seed) {
  RegionNoise out{times * errors.of_one, std::vector<float>(members, 1.0F), base::mix_bits(seed)};
  for (std::size_t i = 0; i < members; ++i)
    out.factors[i] = static_cast<float>(std::max(kNoMore, 1 + times * errors.of_all * base::normal_deviate(seed + i)));
  return out;
}

} // namespace

void DurationSeries::add(double seconds) {
  ++durations_;
  sum_ += seconds;
  squares_ += seconds * seconds;
  if (singles_.size() < kMostEntries) singles_.push_back(seconds);
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

RegionSpread::RegionSpread(trace::Timelines& timelines, const trace::SiteTable& sites, std::size_t members,
                           Deviations deviations) {
  AllSeries all;
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
  const double times = deviations == Deviations::of_another_run ? std::numbers::sqrt2 : 1.0;
  for (const auto& [key, series] : all) {
    const auto& [timeline, region] = key;
    // Of another recording the same region has other draws.
    const std::uint64_t seed = base::mix_bits(base::mix_bits(static_cast<std::uint64_t>(timeline) + 1) + region) ^
                               std::bit_cast<std::uint64_t>(series.sum());
    if (series.sum() > 0)
      noise_[{timeline, sites.stacks_of(region)}] = noise_with(errors_of(series, usual), times, members, seed);
  }
}

const RegionNoise* RegionSpread::noise(int timeline, const Region& region) const {
  const auto found = noise_.find({timeline, region});
  return found == noise_.end() ? nullptr : &found->second;
}

void MemberFactors::look_up(int timeline, std::uint32_t region, Known& known) const {
  const RegionSpread::Region named = sites_.stacks_of(region);
  const RegionNoise* const noise = spread_->noise(timeline, named);
  known.factor = 1;
  if (noise == nullptr || member_ > noise->factors.size()) return;
  known.factor = noise->factors[member_ - 1];
  known.log_of_one = std::sqrt(std::log1p(noise->of_one * noise->of_one));
  known.draws = base::mix_bits(noise->seed ^ (member_ << 32U));
}

double MemberFactors::next(int timeline, std::uint32_t region) {
  const auto row = static_cast<std::size_t>(timeline);
  if (row >= known_.size()) known_.resize(row + 1);
  if (region >= known_[row].size()) known_[row].resize(region + 1);
  Known& known = known_[row][region];
  if (!(known.factor > 0)) look_up(timeline, region, known);
  if (!(known.log_of_one > 0)) return known.factor;
  // Logarithmic normal, of mean 1.
  return known.factor * std::exp(known.log_of_one * base::normal_deviate(base::mix_bits(known.draws++)) -
                                 known.log_of_one * known.log_of_one / 2);
}

} // namespace farcast::scenario
