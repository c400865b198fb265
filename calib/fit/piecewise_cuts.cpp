#include "calib/fit/piecewise_cuts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace farcast::fit {

namespace {

constexpr int kCutRounds = 10;         // it settles in three or four
constexpr double kOutlierPrice = 12.0; // squared noise scales: what an outlier costs where it is one of 50 samples
// Residuals know the noise better than differences do; but a fit that misses a break has too large
// ones, so they may only correct.
constexpr double kMostCorrection = 1.25;
constexpr double kLeastOfMedian = 0.1; // of the running median, where a line passes below
constexpr double kScreen = 3.5;        // noise scales, before there are lines
constexpr std::size_t kGrid = 700;     // cuts tried at first where there are more than kFullSearch samples

std::vector<double> weights_of(const Noise& noise, std::span<const char> kept) {
  std::vector<double> weight(kept.size(), 0.0);
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) weight[i] = 1.0 / (noise.scale[i] * noise.scale[i]);
  return weight;
}

// What one stretch more must save: a line has two parameters, and its cut could have stood at any
// sample.
double price_of_stretch(std::size_t samples) { return 4.0 * std::log(static_cast<double>(samples)); }

// Of all numbers of stretches the one with the least criterion.
std::vector<std::size_t> choose(Partitions&& partitions, std::size_t samples) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < partitions.cost.size(); ++k) {
    const double criterion = partitions.cost[k] + price_of_stretch(samples) * static_cast<double>(k);
    if (criterion < least) {
      least = criterion;
      best = k;
    }
  }
  return std::move(partitions.cuts[best]);
}

// Keeps what separates different x, and adds both ends and the forced cuts.
std::vector<std::size_t> finish_candidates(const Moments& moments, std::vector<std::size_t> candidates,
                                           const std::vector<std::size_t>& forced) {
  candidates.insert(candidates.end(), forced.begin(), forced.end());
  candidates.push_back(0);
  candidates.push_back(moments.samples());
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::erase_if(candidates, [&](std::size_t cut) { return !moments.separates(cut); });
  return candidates;
}

std::vector<std::size_t> find_cuts(const Points& points, const Moments& moments, const PartitionOptions& options) {
  const std::size_t samples = moments.samples();
  const std::size_t step = samples <= kFullSearch ? 1 : (samples + kGrid - 1) / kGrid;
  std::vector<std::size_t> grid;
  for (std::size_t cut = 0; cut < samples; cut += step) {
    std::size_t place = cut; // the next one that separates different x
    while (!moments.separates(place)) ++place;
    grid.push_back(place);
  }
  const std::vector<std::size_t> first = finish_candidates(moments, grid, options.forced_cuts);
  std::vector<std::size_t> cuts = choose(best_partitions(points, first, options), samples);
  if (step == 1 || cuts.empty()) return cuts;
  for (const std::size_t cut : cuts) // now every place near those found
    for (std::size_t place = cut - std::min(cut, 2 * step); place <= std::min(samples, cut + 2 * step); ++place)
      grid.push_back(place);
  const std::vector<std::size_t> second = finish_candidates(moments, std::move(grid), options.forced_cuts);
  return choose(best_partitions(points, second, options), samples);
}

// The alternation: cuts by noise and outliers, then these by the lines between the cuts.
class Cutter {
public:
  Cutter(std::span<const double> x, std::span<const double> y, const CutOptions& options)
      : x_(x), y_(y), options_(options), medians_(running_median(y)) {
    // What a coarse clock shows as 0 is about as long as the least that it shows: weights must stay
    // finite.
    double least = std::numeric_limits<double>::infinity();
    for (const double seconds : y)
      if (seconds > 0.0) least = std::min(least, seconds);
    for (double& median : medians_) median = std::max(median, least);
    level_ = medians_;
  }

  CutSamples run();

private:
  void take_noise();
  [[nodiscard]] double squares(std::size_t stretch, std::size_t i) const { // distance from a line, in squared noise scales
    const double distance = (y_[i] - lines_[stretch](x_[i])) / result_.noise.scale[i];
    return distance * distance;
  }
  void take_lines(const Moments& moments);
  void settle(std::size_t cut, const Moments& moments);
  [[nodiscard]] std::vector<char> judge(const Moments& moments) const;
  void rescue(std::size_t stretch, std::vector<char>& kept) const;
  void mark_misfits(std::size_t stretch, std::vector<char>& kept) const;
  void absolve(std::size_t stretch, std::vector<char>& kept) const;

  std::span<const double> x_, y_;
  const CutOptions& options_;
  std::vector<double> medians_;
  std::vector<double> level_; // [sample] what is taken to be the time there without noise
  double correction_ = 1.0;   // of all noise scales, by the residuals of the last round
  std::vector<Line> lines_;   // [stretch] of the last round
  CutSamples result_;
};

void Cutter::take_noise() {
  result_.noise = estimate_noise(x_, y_, level_, result_.kept, options_.least_relative_noise);
  for (double& scale : result_.noise.scale) scale *= correction_;
}

// Returns: which samples are no outliers of the line of their own stretch.
std::vector<char> Cutter::judge(const Moments& moments) const {
  std::vector<char> kept;
  for (std::size_t k = 0; k < lines_.size(); ++k)
    for (std::size_t i = result_.cuts[k]; i < result_.cuts[k + 1]; ++i) {
      // A sample at the end of a short stretch draws the line to itself: judge by the distance that
      // is left to it.
      const double weight = result_.weight[i];
      const double pull = weight > 0.0 ? moments.leverage(result_.cuts[k], result_.cuts[k + 1], i, weight) : 0.0;
      kept.push_back(squares(k, i) <= kOutlier * kOutlier * std::max(0.0, 1.0 - pull) ? 1 : 0);
    }
  return kept;
}

// A cut that is a few samples off must not make outliers of those between: at both ends of a
// stretch, samples that only the line beyond explains are kept, up to the first one that only the
// own line explains.
void Cutter::rescue(std::size_t stretch, std::vector<char>& kept) const {
  const std::size_t first = result_.cuts[stretch], end = result_.cuts[stretch + 1];
  const std::size_t reach = std::min(end - first, options_.partition.min_samples);
  const auto walk = [&](std::size_t beyond, auto&& place) {
    for (std::size_t step = 0; step < reach; ++step) {
      const std::size_t i = place(step);
      const bool explained = squares(beyond, i) <= kOutlier * kOutlier;
      if (kept[i] && !explained) return;
      if (explained) kept[i] = 1;
    }
  };
  if (stretch > 0) walk(stretch - 1, [&](std::size_t step) { return first + step; });
  if (stretch + 1 < lines_.size()) walk(stretch + 1, [&](std::size_t step) { return end - 1 - step; });
}

// A few outliers close together can pass for a short stretch of their own. Where the lines on its
// two sides, with the misfits as outliers, explain a stretch nearly as well, marks those misfits as
// outliers.
void Cutter::mark_misfits(std::size_t stretch, std::vector<char>& kept) const {
  const std::size_t first = result_.cuts[stretch], end = result_.cuts[stretch + 1];
  const bool has_before = stretch > 0, has_after = stretch + 1 < lines_.size();
  if (!has_before && !has_after) return;
  const auto price = [&](std::size_t line, std::size_t i) { return std::min(squares(line, i), kOutlierPrice); };
  // Samples below `split` by the line before, the others by the line after.
  double own = 0.0, cost = 0.0;
  for (std::size_t i = first; i < end; ++i) {
    own += price(stretch, i);
    cost += price(has_after ? stretch + 1 : stretch - 1, i);
  }
  std::size_t split = has_after ? first : end;
  double least = cost;
  for (std::size_t i = first; i < end && has_before && has_after; ++i) {
    cost += price(stretch - 1, i) - price(stretch + 1, i);
    if (cost < least) {
      least = cost;
      split = i + 1;
    }
  }
  if (least - own >= price_of_stretch(x_.size())) return;
  for (std::size_t i = first; i < end; ++i)
    if (squares(i < split ? stretch - 1 : stretch + 1, i) > kOutlierPrice) kept[i] = 0;
}

// Where a third of a stretch does not fit its line, the line is wrong, not the samples.
void Cutter::absolve(std::size_t stretch, std::vector<char>& kept) const {
  const auto first = kept.begin() + static_cast<std::ptrdiff_t>(result_.cuts[stretch]);
  const auto end = kept.begin() + static_cast<std::ptrdiff_t>(result_.cuts[stretch + 1]);
  if (3 * std::count(first, end, char{0}) > end - first) std::fill(first, end, char{1});
}

void Cutter::take_lines(const Moments& moments) {
  lines_.clear();
  for (std::size_t k = 0; k + 1 < result_.cuts.size(); ++k) {
    lines_.push_back(moments.line(result_.cuts[k], result_.cuts[k + 1]));
    for (std::size_t i = result_.cuts[k]; i < result_.cuts[k + 1]; ++i)
      level_[i] = std::max(lines_[k](x_[i]), kLeastOfMedian * medians_[i]);
  }
}

// Squares weighted by the noise at a sample's present level cannot say on which side of a cut it
// belongs, where noise is another on the other side. Moves the cut to where the likelihood of both
// lines, each with its own noise, is greatest.
void Cutter::settle(std::size_t cut, const Moments& moments) {
  const std::vector<std::size_t>& forced = options_.partition.forced_cuts;
  const std::size_t here = result_.cuts[cut], least = options_.partition.min_samples;
  if (std::find(forced.begin(), forced.end(), here) != forced.end()) return;
  const std::size_t first = result_.cuts[cut - 1] + least, last = result_.cuts[cut + 1] - least;
  const NoiseModel& model = result_.noise.model;
  const auto cost = [&](std::size_t line, std::size_t i) {
    const double level = std::max(lines_[line](x_[i]), kLeastOfMedian * medians_[i]);
    const double scale = result_.noise.scale[i] * model(level) / model(level_[i]);
    const double distance = (y_[i] - lines_[line](x_[i])) / scale;
    return std::min(distance * distance, kOutlierPrice) + 2.0 * std::log(scale);
  };
  double change = 0.0, best = 0.0;
  std::size_t place = here;
  const auto consider = [&](std::size_t candidate) {
    if (change >= best || !moments.separates(candidate)) return;
    if (!moments.spreads(result_.cuts[cut - 1], candidate) || !moments.spreads(candidate, result_.cuts[cut + 1])) return;
    best = change;
    place = candidate;
  };
  for (std::size_t i = here; i-- > std::max(first, here - std::min(here, least));) { // sample i goes over to the line above
    change += cost(cut, i) - cost(cut - 1, i);
    consider(i);
  }
  change = 0.0;
  for (std::size_t i = here; i < std::min(last, here + least); ++i) {
    change += cost(cut - 1, i) - cost(cut, i);
    consider(i + 1);
  }
  result_.cuts[cut] = place;
}

CutSamples Cutter::run() {
  result_.kept.assign(x_.size(), 1);
  take_noise();
  result_.kept = screen_outliers(x_, y_, result_.noise.scale, kScreen);
  for (int round = 0; round < kCutRounds; ++round) {
    take_noise();
    result_.weight = weights_of(result_.noise, result_.kept);
    const Points points{x_, y_, result_.weight};
    const Moments moments(points);
    std::vector<std::size_t> before = std::exchange(result_.cuts, find_cuts(points, moments, options_.partition));
    if (result_.cuts.empty()) { // outliers leave too little between forced cuts
      result_.kept.assign(x_.size(), 1);
      continue;
    }
    take_lines(moments);
    for (std::size_t k = 1; k + 1 < result_.cuts.size(); ++k) settle(k, moments);
    take_lines(moments);
    std::vector<char> kept = judge(moments);
    for (std::size_t k = 0; k < lines_.size(); ++k) rescue(k, kept);
    for (std::size_t k = 0; k < lines_.size(); ++k) mark_misfits(k, kept);
    for (std::size_t k = 0; k < lines_.size(); ++k) absolve(k, kept);
    if ((before == result_.cuts && kept == result_.kept) || round + 1 == kCutRounds) break;
    double left = 0.0;
    for (std::size_t k = 0; k < lines_.size(); ++k) left += moments.cost(result_.cuts[k], result_.cuts[k + 1]);
    const double degrees = static_cast<double>(moments.weighing(0, x_.size())) - 3.0 * static_cast<double>(lines_.size());
    if (degrees > 0.0) correction_ = std::clamp(correction_ * std::sqrt(left / degrees), 1.0 / kMostCorrection, kMostCorrection);
    result_.kept = std::move(kept);
  }
  return result_;
}

} // namespace

CutSamples cut_samples(std::span<const double> x, std::span<const double> y, const CutOptions& options) {
  return Cutter(x, y, options).run();
}

} // namespace farcast::fit
