#include "predictor/scenario/region_spread.h"

#include "predictor/base/flat_map.h"
#include "predictor/base/normal_deviate.h"
#include "predictor/base/series_noise.h"
#include "predictor/scenario/replicates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

namespace farcast::scenario {

namespace {

constexpr double kMostOfOne = 0.5; // noise of a single duration beyond it counts in blocks: none gets near 0
constexpr double kNoMore = 1e-6;   // of a factor
constexpr double kOffLevel = 5;    // standard deviations, of noise: beyond, the level is another one
// Durations that a level rests on: what takes longer is no noise (base/series_noise.h).
constexpr double kOfLevel = 3.0 / 40; // of the series
constexpr double kFewestOfLevel = 12, kMostOfLevel = 100;
constexpr double kFarLess = 0.1;    // a variance over another one: chance does not make it (base/series_noise.cpp)
constexpr double kAlikeNoise = 1.5; // variance between replicates over that of series: beyond, they do not do the same

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

struct Recorded {
  std::map<std::pair<int, std::uint32_t>, DurationSeries> series; // timeline, region
  std::map<std::uint32_t, base::Memory> memory;                   // region, of all timelines
};

Recorded read(trace::Timelines& timelines) {
  Recorded out;
  trace::Operation operation;
  for (int timeline = 0; timeline < timelines.timelines(); ++timeline) {
    std::vector<DurationSeries*> of_region; // a map's elements stay where they are
    while (timelines.next(timeline, operation)) {
      if (!(operation.compute.value() > 0)) continue;
      if (operation.region >= of_region.size()) of_region.resize(operation.region + 1, nullptr);
      DurationSeries*& series = of_region[operation.region];
      if (series == nullptr) series = &out.series[{timeline, operation.region}];
      const std::uint64_t durations = trace::computations_of(operation);
      const double each = operation.compute.value() / static_cast<double>(durations);
      for (std::uint64_t i = 0; i < durations; ++i) series->add(each);
    }
  }
  for (const auto& [key, series] : out.series) out.memory[key.second].add(series.singles());
  return out;
}

// Of a series that tells.
struct Noise {
  base::SeriesNoise all, singles;
  std::shared_ptr<const std::vector<double>> steps; // as of RegionNoise
  double of_rank = 1;
};
using Key = std::pair<int, std::uint32_t>; // timeline, region
using AllNoise = std::map<Key, Noise>;
using Spans = std::vector<std::span<const double>>;

AllNoise noise_of_long_series(const Recorded& recorded) {
  AllNoise out;
  for (const auto& [key, series] : recorded.series) {
    if (series.durations() < base::kFewestOfSeries || !(series.sum() > 0)) continue;
    const double memory = recorded.memory.at(key.second).value();
    out[key] = {base::noise_of(series.entries(), memory, series.per_entry()), base::noise_of(series.singles(), memory), {}, 1};
  }
  return out;
}

// Timelines that run a region equally often: its number, how often, and who.
std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Key>> alike_in(const Recorded& recorded) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Key>> out;
  for (const auto& [key, series] : recorded.series)
    if (series.sum() > 0) out[{key.second, series.durations()}].push_back(key);
  return out;
}

double sum_of_squares(std::span<const double> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

// Of few durations of several ranks: degrees of freedom are those of all ranks together, shared
// among them.
base::SeriesNoise noise_of_few(const DurationSeries& series, const Replicates& replicates, std::size_t ranks) {
  base::SeriesNoise out;
  out.of_one = std::sqrt(replicates.variance);
  out.of_sum = out.of_one * std::sqrt(series.squares());
  out.degrees = replicates.degrees / static_cast<double>(ranks);
  return out;
}

// Returns: [rank] noise of what is left of the series between replicates, as of the series themselves.
std::vector<base::SeriesNoise> noise_of_left(const Spans& series, std::uint64_t each) {
  const std::optional<Replicates> replicates = replicates_of(series);
  if (!replicates) return {};
  const std::vector<std::vector<double>> left = left_of(series, *replicates);
  base::Memory memory;
  for (const std::vector<double>& one : left) memory.add(one);
  std::vector<base::SeriesNoise> out;
  for (std::size_t rank = 0; rank < series.size(); ++rank) {
    out.push_back(base::noise_of(left[rank], each == 1 ? memory.value() : 0, each));
    out.back().of_sum *= std::sqrt(sum_of_squares(series[rank]) / sum_of_squares(left[rank]));
    out.back().degrees *= 1 - 1 / static_cast<double>(series.size());
  }
  return out;
}

double variance_of(const std::vector<base::SeriesNoise>& noise) {
  double out = 0;
  for (const base::SeriesNoise& one : noise) out += one.of_sum * one.of_sum;
  return out;
}

// Where what ranks have in common at each step makes nearly all that varies, noise is what is left.
void take_less(const Recorded& recorded, const std::vector<Key>& ranks, AllNoise& all) {
  Spans entries, singles;
  double variance = 0;
  for (const Key& key : ranks) {
    const DurationSeries& series = recorded.series.at(key);
    entries.emplace_back(series.entries());
    singles.emplace_back(series.singles());
    variance += all.at(key).all.of_sum * all.at(key).all.of_sum;
  }
  const std::vector<base::SeriesNoise> of_all = noise_of_left(entries, recorded.series.at(ranks.front()).per_entry());
  const std::vector<base::SeriesNoise> of_singles = noise_of_left(singles, 1);
  if (of_all.empty() || of_singles.empty() || !(variance_of(of_all) < kFarLess * variance)) return;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    all[ranks[rank]].all = of_all[rank];
    all[ranks[rank]].singles = of_singles[rank];
  }
}

void add_replicates(const Recorded& recorded, AllNoise& all) {
  for (const auto& [region, ranks] : alike_in(recorded)) {
    const bool few = region.second < base::kFewestOfSeries;
    if (!few && ranks.size() > 1) take_less(recorded, ranks, all);
    if (region.second > DurationSeries::kMostEntries) continue;
    Spans singles;
    double of_ones = 0; // variance of a duration, in the mean over the ranks
    for (const Key& key : ranks) {
      singles.emplace_back(recorded.series.at(key).singles());
      if (!few) of_ones += all.at(key).singles.of_one * all.at(key).singles.of_one / static_cast<double>(ranks.size());
    }
    const std::optional<Replicates> replicates = replicates_of(singles);
    if (!replicates || (!few && replicates->variance > kAlikeNoise * of_ones)) continue;
    const auto steps = std::make_shared<const std::vector<double>>(replicates->step);
    const double mean = std::accumulate(steps->begin(), steps->end(), 0.0);
    for (const Key& key : ranks) {
      const DurationSeries& series = recorded.series.at(key);
      Noise& noise = all[key];
      if (few) noise.all = noise.singles = noise_of_few(series, *replicates, ranks.size());
      noise.steps = steps;
      noise.of_rank = series.sum() / mean;
    }
  }
}

Usual usual_of(const Recorded& recorded, const AllNoise& all) {
  std::vector<std::pair<double, double>> scatter;
  std::vector<std::pair<double, double>> per_root_second;
  for (const auto& [key, noise] : all) {
    const DurationSeries& series = recorded.series.at(key);
    scatter.emplace_back(noise.all.of_sum / series.sum() * std::sqrt(static_cast<double>(series.durations())), series.sum());
    per_root_second.emplace_back(noise.all.of_sum / std::sqrt(series.sum()), series.sum());
  }
  return {middle_of(std::move(scatter)), middle_of(std::move(per_root_second))};
}

// Returns: degrees of freedom of the variance of all computation (Welch 1947, Satterthwaite 1946).
double degrees_of(const AllNoise& all) {
  double variance = 0, of_variance = 0;
  for (const auto& [key, noise] : all) {
    const double one = noise.all.of_sum * noise.all.of_sum;
    variance += one;
    of_variance += one * one / noise.all.degrees;
  }
  return of_variance > 0 ? variance * variance / of_variance : 1e9;
}

RegionNoise noise_of(const DurationSeries& series, const Noise& noise) {
  RegionNoise out;
  const double variance = noise.all.of_sum * noise.all.of_sum;
  out.memory = noise.singles.memory;
  const double of_ones = series.squares() * base::long_over_one(out.memory); // of a standard deviation of 1
  out.recorded = std::min({noise.singles.of_one, std::sqrt(variance / of_ones), kMostOfOne});
  const std::vector<double>& entries = series.entries();
  double squares = 0; // of blocks
  for (std::size_t from = 0; from < entries.size(); from += noise.all.block) {
    const auto to = static_cast<std::ptrdiff_t>(std::min(from + noise.all.block, entries.size()));
    const double sum = std::accumulate(entries.begin() + static_cast<std::ptrdiff_t>(from), entries.begin() + to, 0.0);
    squares += sum * sum;
  }
  out.of_block = std::sqrt(std::max(0.0, variance - out.recorded * out.recorded * of_ones) / squares);
  out.block = noise.all.block * series.per_entry();
  out.steps = noise.steps;
  out.of_rank = noise.of_rank;
  out.of_level = std::clamp(kOfLevel * static_cast<double>(series.durations()), kFewestOfLevel, kMostOfLevel) *
                 base::long_over_one(out.memory);
  return out;
}

// Where ranks differ by no more than noise makes of it, the level is that of all of them: else the
// slowest would be, to all members, what it was in the recording by chance. Of a variance between
// ranks beyond noise (DerSimonian and Laird 1986) as much is kept of their differences as it is of
// all variance (Efron and Morris 1975). Returns: [timeline, region] level over the recorded one.
std::map<Key, double> levels_of(const Recorded& recorded, const AllNoise& all) {
  std::map<Key, double> out;
  auto alike = alike_in(recorded);
  for (auto& [region, ranks] : alike) {
    std::erase_if(ranks, [&](const Key& key) { return !all.contains(key); });
    if (ranks.size() < 2) continue;
    double sum = 0, squares = 0, noise = 0; // of sums of computation
    for (const Key& key : ranks) {
      const double of_rank = recorded.series.at(key).sum(), off = all.at(key).all.of_sum;
      sum += of_rank;
      squares += of_rank * of_rank;
      noise += off * off;
    }
    const auto count = static_cast<double>(ranks.size());
    const double mean = sum / count;
    const double between = (squares - sum * mean) / (count - 1), within = noise / count;
    const double kept = between > within ? 1 - within / between : 0;
    for (const Key& key : ranks) {
      const double of_rank = recorded.series.at(key).sum();
      out[key] = (mean + kept * (of_rank - mean)) / of_rank;
    }
  }
  return out;
}

// Of a series that is too short.
RegionNoise noise_of(const DurationSeries& series, const Usual& usual) {
  RegionNoise out;
  out.of_block = std::min(usual.scatter / std::sqrt(static_cast<double>(series.durations())),
                          usual.per_root_second / std::sqrt(series.sum()));
  out.block = series.durations();
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

RegionSpread::RegionSpread(trace::Timelines& timelines, const trace::SiteTable& sites, Deviations deviations) {
  const Recorded recorded = read(timelines);
  AllNoise all = noise_of_long_series(recorded);
  add_replicates(recorded, all);
  const Usual usual = usual_of(recorded, all);
  const auto levels = levels_of(recorded, all);
  const double times =
      (deviations == Deviations::of_another_run ? std::numbers::sqrt2 : 1.0) * base::wider_than_normal(degrees_of(all));
  for (const auto& [key, series] : recorded.series) {
    if (!(series.sum() > 0)) continue;
    const auto& [timeline, region] = key;
    const auto found = all.find(key);
    RegionNoise noise = found != all.end() ? noise_of(series, found->second) : noise_of(series, usual);
    noise.of_one = times * noise.recorded;
    noise.of_block *= times;
    if (const auto level = levels.find(key); level != levels.end()) noise.level = level->second;
    // Of another recording the same region has other draws.
    noise.seed = base::mix_bits(base::mix_bits(base::mix_bits(static_cast<std::uint64_t>(timeline) + 1) + region) ^
                                std::bit_cast<std::uint64_t>(series.sum()));
    noise_[{timeline, sites.stacks_of(region)}] = noise;
  }
}

const RegionNoise* RegionSpread::noise(int timeline, const Region& region) const {
  const auto found = noise_.find({timeline, region});
  return found == noise_.end() ? nullptr : &found->second;
}

// Returns: the level at the duration that came last. `scatter`: of durations around it, as a share.
double MemberFactors::Level::after(double seconds, double scatter, double most) {
  const double expected = value_ + slope_;
  const double off = seconds - expected;
  if (durations_ == 0 || !(std::abs(off) <= kOffLevel * scatter * expected)) {
    value_ = seconds;
    slope_ = 0;
    durations_ = 1;
    return seconds;
  }
  durations_ = std::min(durations_ + 1, most);
  const double n = durations_;
  value_ = expected + 2 * (2 * n - 1) / (n * (n + 1)) * off;
  slope_ += 6 / (n * (n + 1)) * off;
  return value_;
}

void MemberFactors::look_up(int timeline, std::uint32_t region, Known& known) const {
  known.looked_up = true;
  if (const RegionNoise* const noise = spread_->noise(timeline, sites_.stacks_of(region)); noise != nullptr) known.noise = *noise;
  known.key = base::mix_bits(known.noise.seed ^ (member_ << 32U));
}

double MemberFactors::next(int timeline, std::uint32_t region, double seconds) {
  const auto row = static_cast<std::size_t>(timeline);
  if (row >= known_.size()) known_.resize(row + 1);
  if (region >= known_[row].size()) known_[row].resize(region + 1);
  Known& known = known_[row][region];
  if (!known.looked_up) look_up(timeline, region, known);
  const RegionNoise& noise = known.noise;
  const std::uint64_t draw = base::mix_bits(known.key + 2 * known.count);
  if (noise.of_block > 0 && known.count % noise.block == 0)
    known.in_common = std::max(kNoMore, 1 + noise.of_block * base::normal_deviate(draw + 1));
  ++known.count;
  if (!(noise.of_one > 0)) return noise.level * known.in_common;
  const double fresh = base::normal_deviate(draw);
  known.state = known.count == 1 ? fresh : noise.memory * known.state + std::sqrt(1 - noise.memory * noise.memory) * fresh;
  const bool in_common = noise.steps && known.count <= noise.steps->size();
  const double of_level =
      (in_common ? noise.of_rank * (*noise.steps)[known.count - 1] : known.level.after(seconds, noise.recorded, noise.of_level)) /
      seconds;
  return noise.level * of_level * known.in_common * std::max(kNoMore, 1 + noise.of_one * known.state);
}

double MemberFactors::next(int timeline, std::uint32_t region, double seconds, std::uint64_t durations) {
  const auto count = static_cast<double>(durations);
  double sum = 0;
  for (std::uint64_t i = 0; i < durations; ++i) sum += next(timeline, region, seconds / count);
  return sum / count;
}

} // namespace farcast::scenario
