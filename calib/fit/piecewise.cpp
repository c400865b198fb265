#include "calib/fit/piecewise.h"

#include "calib/fit/linear.h"
#include "calib/fit/piecewise_cuts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>

namespace farcast::fit {

namespace {

struct Sorted {
  std::vector<double> x, y;
  std::vector<int> batch;
};

// An order of times that has nothing to do with their size, yet is the same for the same times:
// samples of equal bytes must neither stand in the order they were given in, nor sorted by time,
// which would hide their noise from differences of neighbours.
std::uint64_t shuffled(double seconds) { // the finaliser of MurmurHash3: a bijection
  auto bits = std::bit_cast<std::uint64_t>(seconds);
  bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdU;
  bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53U;
  return bits ^ (bits >> 33);
}

base::Result<Sorted> sort_samples(std::span<const TimedSize> samples) {
  std::vector<TimedSize> ordered(samples.begin(), samples.end());
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (!(samples[i].bytes >= 0.0 && std::isfinite(samples[i].bytes) && samples[i].seconds >= 0.0 &&
          std::isfinite(samples[i].seconds)))
      return base::fail(fmt::format("sample {} is {} bytes in {} seconds, both must be finite and not negative", i + 1,
                                    samples[i].bytes, samples[i].seconds));
  std::sort(ordered.begin(), ordered.end(), [](const TimedSize& a, const TimedSize& b) {
    return a.bytes != b.bytes       ? a.bytes < b.bytes
           : a.seconds != b.seconds ? shuffled(a.seconds) < shuffled(b.seconds)
                                    : a.batch < b.batch;
  });
  Sorted sorted;
  for (const TimedSize& sample : ordered) {
    sorted.x.push_back(sample.bytes);
    sorted.y.push_back(sample.seconds);
    sorted.batch.push_back(sample.batch);
  }
  return sorted;
}

base::Result<void> check_options(const PiecewiseOptions& options) {
  if (options.min_samples < 4)
    return base::fail(fmt::format("{} samples per section are too few, at least 4 are needed", options.min_samples));
  if (options.max_sections <= options.required_breaks_bytes.size())
    return base::fail(
        fmt::format("{} required breaks make more than {} sections", options.required_breaks_bytes.size(), options.max_sections));
  if (!(options.confidence > 0.0 && options.confidence < 1.0))
    return base::fail(fmt::format("confidence {} is not between 0 and 1", options.confidence));
  if (!(options.least_relative_noise > 0.0 && options.least_relative_noise < 1.0))
    return base::fail(fmt::format("least relative noise {} is not between 0 and 1", options.least_relative_noise));
  return {};
}

// The cuts that required breaks make; errors where too little would be left between two.
base::Result<std::vector<std::size_t>> forced_cuts(const Sorted& sorted, const PiecewiseOptions& options) {
  std::vector<double> breaks = options.required_breaks_bytes;
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  std::vector<std::size_t> cuts;
  std::size_t before = 0;
  double from = 0.0;
  const auto check = [&](std::size_t cut, double to) -> base::Result<void> {
    const bool one_size = cut > before && sorted.x[before] == sorted.x[cut - 1];
    if (cut - before >= options.min_samples && !one_size) return {};
    return base::fail(fmt::format("{} samples of {} between {} and {} bytes are too few, at least {} of two sizes are needed",
                                  cut - before, one_size ? "one size" : "all sizes", from, to, options.min_samples));
  };
  for (const double bytes : breaks) {
    const auto cut = static_cast<std::size_t>(std::upper_bound(sorted.x.begin(), sorted.x.end(), bytes) - sorted.x.begin());
    if (const auto fine = check(cut, bytes); !fine) return tl::unexpected(fine.error());
    cuts.push_back(cut);
    before = cut;
    from = bytes;
  }
  if (const auto fine = check(sorted.x.size(), sorted.x.empty() ? 0.0 : sorted.x.back()); !fine)
    return tl::unexpected(fine.error());
  return cuts;
}

// The second half of the fit: what the cuts mean, in seconds and bytes, and how sure that is.
class Description {
public:
  Description(const Sorted& sorted, const CutSamples& cut, const PiecewiseOptions& options, std::span<const std::size_t> forced)
      : sorted_(sorted), cut_(cut), options_(options), forced_(forced), moments_({sorted.x, sorted.y, cut.weight}) {}

  base::Result<PiecewiseFit> describe();

private:
  struct Place {
    std::size_t cut;
    double excess; // -2 log of its likelihood over that of the place chosen
  };

  [[nodiscard]] base::Result<Section> section(std::size_t index, double from_bytes);
  static void add_residuals(std::span<const double> x, std::span<const double> y, Section& answer);
  [[nodiscard]] Breakpoint breakpoint(std::size_t index);
  [[nodiscard]] std::vector<Place> profile(std::size_t index) const;
  void find_interval(std::span<const Place> places, Breakpoint& answer) const;
  void heed_batches(std::size_t first, std::size_t end, Section& answer) const;
  void widen(std::size_t index, bool lower_end, Section& answer) const;
  [[nodiscard]] double place_between(std::size_t cut) const;

  const Sorted& sorted_;
  const CutSamples& cut_;
  const PiecewiseOptions& options_;
  std::span<const std::size_t> forced_;
  Moments moments_;
  std::vector<std::vector<Place>> profiles_; // [break]; empty for a required one
  double left_squares_ = 0.0;                // weighted, of all sections
};

// The middle between the sizes on both sides: on a logarithmic scale, as sizes are drawn, and a
// whole number where one fits.
double Description::place_between(std::size_t cut) const {
  const double below = sorted_.x[cut - 1], above = sorted_.x[cut];
  const double middle = below > 0.0 ? std::sqrt(below * above) : 0.5 * above;
  return std::floor(middle) >= below ? std::floor(middle) : middle;
}

base::Result<Section> Description::section(std::size_t index, double from_bytes) {
  const std::size_t first = cut_.cuts[index], end = cut_.cuts[index + 1];
  const std::size_t weighing = moments_.weighing(first, end);
  Matrix regressors(weighing, 2);
  std::vector<double> observed, weights;
  for (std::size_t i = first; i < end; ++i) {
    if (!cut_.kept[i]) continue;
    regressors(observed.size(), 0) = 1.0;
    regressors(observed.size(), 1) = sorted_.x[i];
    observed.push_back(sorted_.y[i]);
    weights.push_back(cut_.weight[i]);
  }
  const auto line = fit_linear(regressors, observed, weights, options_.confidence);
  if (!line) return tl::unexpected(line.error());
  Section answer;
  answer.from_bytes = from_bytes;
  answer.base_s = line->coefficient[0];
  answer.per_byte_s = line->coefficient[1];
  answer.r_squared = line->r_squared;
  answer.samples = end - first;
  answer.outliers = answer.samples - weighing;
  answer.smallest_bytes = sorted_.x[first];
  answer.largest_bytes = sorted_.x[end - 1];
  left_squares_ += moments_.cost(first, end);
  heed_batches(first, end, answer);
  if (index > 0) widen(index, true, answer);
  if (index + 2 < cut_.cuts.size()) widen(index, false, answer);
  add_residuals(std::span(sorted_.x).subspan(first, end - first), std::span(sorted_.y).subspan(first, end - first), answer);
  return answer;
}

void Description::add_residuals(std::span<const double> x, std::span<const double> y, Section& answer) {
  std::vector<double> residuals;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double fitted = answer.base_s.value + answer.per_byte_s.value * x[i];
    // A line may pass below the smallest time that means anything: then the measured one is what
    // the error is a share of.
    const double whole = fitted > 0.0 ? fitted : y[i];
    residuals.push_back(whole > 0.0 ? std::fabs(y[i] - fitted) / whole : 0.0);
  }
  const double wanted[] = {50.0, 90.0, 95.0};
  const std::vector<double> found = percentiles(residuals, wanted);
  answer.residual_50 = found[0];
  answer.residual_90 = found[1];
  answer.residual_95 = found[2];
}

// Every place between the neighbouring cuts, by how much worse its two lines fit than the best two,
// in noise variances.
std::vector<Description::Place> Description::profile(std::size_t index) const {
  const std::size_t first = cut_.cuts[index], here = cut_.cuts[index + 1], end = cut_.cuts[index + 2];
  const double here_cost = moments_.cost(first, here) + moments_.cost(here, end);
  const double degrees = static_cast<double>(moments_.weighing(first, end)) - 4.0;
  const double variance = degrees > 0.0 ? std::max(here_cost / degrees, 1e-12) : 1.0;
  std::vector<Place> places;
  for (std::size_t at = first + 1; at < end; ++at)
    if (moments_.separates(at) && moments_.spreads(first, at) && moments_.spreads(at, end))
      places.push_back({at, (moments_.cost(first, at) + moments_.cost(at, end) - here_cost) / variance});
  return places;
}

// The places whose two lines fit nearly as well: likelihood ratio against the best one, with the
// quantile of the two-sided random walk that it follows: P(LR <= q) = (1 - exp(-q / 2))^2 (Bai
// 1997; Eo and Morley 2015).
void Description::find_interval(std::span<const Place> places, Breakpoint& answer) const {
  const double allowed = -2.0 * std::log(1.0 - std::sqrt(options_.confidence));
  for (const Place& place : places) {
    if (place.excess > allowed) continue;
    answer.first_samples_below = std::min(answer.first_samples_below, place.cut);
    answer.last_samples_below = std::max(answer.last_samples_below, place.cut);
  }
  answer.bytes_interval = {sorted_.x[answer.first_samples_below - 1], sorted_.x[answer.last_samples_below]};
}

// What each batch pulls the line by is the score of its residuals (White 1980; Liang and Zeger 1986).
void Description::heed_batches(std::size_t first, std::size_t end, Section& answer) const {
  double weight = 0.0, middle = 0.0, spread = 0.0;
  for (std::size_t i = first; i < end; ++i) {
    if (!cut_.kept[i]) continue;
    if (sorted_.batch[i] == kNoBatch) return;
    weight += cut_.weight[i];
    middle += cut_.weight[i] * sorted_.x[i];
  }
  middle /= weight;
  std::map<int, Line> scores;
  for (std::size_t i = first; i < end; ++i) {
    if (!cut_.kept[i]) continue;
    const double from_middle = sorted_.x[i] - middle;
    const double residual = sorted_.y[i] - answer.base_s.value - answer.per_byte_s.value * sorted_.x[i];
    Line& score = scores.try_emplace(sorted_.batch[i], Line{0.0, 0.0}).first->second;
    score.base += cut_.weight[i] * residual;
    score.slope += cut_.weight[i] * residual * from_middle;
    spread += cut_.weight[i] * from_middle * from_middle;
  }
  if (scores.size() < kLeastBatches || !(spread > 0.0)) return;
  std::vector<double> base, slope;
  for (const auto& [batch, score] : scores) {
    slope.push_back(score.slope / spread);
    base.push_back(score.base / weight - middle * slope.back());
  }
  const std::size_t waves = waves_of(scores.begin()->first, scores.rbegin()->first);
  answer.base_s = less_sure(answer.base_s, batch_estimate(answer.base_s.value, base, options_.confidence, waves));
  answer.per_byte_s = less_sure(answer.per_byte_s, batch_estimate(answer.per_byte_s.value, slope, options_.confidence, waves));
}

// Where a section ends is itself only known so well. Adds the variance that its line has over the
// places where the cut at its lower (or upper) end may be, each as probable as its likelihood says.
// Its line is then what both lines at that place say of the section's own sizes: a section that may
// end after a few of them would say anything of the others, but there it would be the neighbour's
// line that holds.
void Description::widen(std::size_t index, bool lower_end, Section& answer) const {
  const std::size_t below = lower_end ? index - 1 : index; // the section below the places
  const std::size_t first = cut_.cuts[index], end = cut_.cuts[index + 1];
  double total = 0.0, base = 0.0, slope = 0.0;
  for (const Place& place : profiles_[below]) {
    const double probability = std::exp(-0.5 * std::max(0.0, place.excess));
    const Line line =
        moments_.straightened(first, std::clamp(place.cut, first, end), end, moments_.line(cut_.cuts[below], place.cut),
                              moments_.line(place.cut, cut_.cuts[below + 2]));
    total += probability;
    base += probability * std::pow(line.base - answer.base_s.value, 2);
    slope += probability * std::pow(line.slope - answer.per_byte_s.value, 2);
  }
  const auto add = [total](double variance, Estimate& estimate) {
    if (!(estimate.standard_error > 0.0) || !std::isfinite(estimate.standard_error)) return;
    const double error = std::sqrt(estimate.standard_error * estimate.standard_error + variance / total);
    const double half = 0.5 * (estimate.interval.high - estimate.interval.low) * error / estimate.standard_error;
    estimate = {estimate.value, error, {estimate.value - half, estimate.value + half}};
  };
  if (total <= 0.0) return;
  add(base, answer.base_s);
  add(slope, answer.per_byte_s);
}

Breakpoint Description::breakpoint(std::size_t index) {
  const std::size_t cut = cut_.cuts[index + 1];
  Breakpoint answer;
  answer.samples_below = answer.first_samples_below = answer.last_samples_below = cut;
  const auto given = std::find(forced_.begin(), forced_.end(), cut);
  answer.required = given != forced_.end();
  profiles_.emplace_back();
  if (answer.required) {
    // Several required breaks cannot share a cut: there would be no samples between them.
    for (const double bytes : options_.required_breaks_bytes)
      if (sorted_.x[cut - 1] <= bytes && bytes < sorted_.x[cut]) answer.bytes = bytes;
    answer.bytes_interval = {answer.bytes, answer.bytes};
  } else {
    answer.bytes = place_between(cut);
    profiles_.back() = profile(index);
    find_interval(profiles_.back(), answer);
  }
  const Line below = moments_.line(cut_.cuts[index], cut), above = moments_.line(cut, cut_.cuts[index + 2]);
  answer.jump_s = above(answer.bytes) - below(answer.bytes);
  answer.jump_over_noise = std::fabs(answer.jump_s) / (0.5 * (cut_.noise.scale[cut - 1] + cut_.noise.scale[cut]));
  return answer;
}

base::Result<PiecewiseFit> Description::describe() {
  PiecewiseFit fit;
  fit.samples = sorted_.x.size();
  fit.additive_noise_s = cut_.noise.model.additive;
  fit.relative_noise = cut_.noise.model.relative;
  for (std::size_t k = 0; k + 2 < cut_.cuts.size(); ++k) fit.breaks.push_back(breakpoint(k));
  for (std::size_t k = 0; k + 1 < cut_.cuts.size(); ++k) {
    auto found = section(k, k == 0 ? 0.0 : fit.breaks[k - 1].bytes);
    if (!found) return tl::unexpected(found.error());
    fit.outliers += found->outliers;
    fit.sections.push_back(*found);
  }
  double weight = 0.0, sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < sorted_.y.size(); ++i) {
    weight += cut_.weight[i];
    sum += cut_.weight[i] * sorted_.y[i];
  }
  for (std::size_t i = 0; i < sorted_.y.size(); ++i) {
    const double distance = sorted_.y[i] - sum / weight;
    squares += cut_.weight[i] * distance * distance;
  }
  fit.r_squared = squares > 0.0 ? 1.0 - left_squares_ / squares : 1.0;
  return fit;
}

} // namespace

const Section& PiecewiseFit::section(double bytes) const {
  std::size_t index = sections.size() - 1;
  while (index > 0 && bytes <= sections[index].from_bytes) --index;
  return sections[index];
}

double PiecewiseFit::operator()(double bytes) const {
  const Section& here = section(bytes);
  return std::max(0.0, here.base_s.value + here.per_byte_s.value * bytes);
}

double PiecewiseFit::noise(double seconds) const { return NoiseModel{additive_noise_s, relative_noise}(seconds); }

base::Result<PiecewiseFit> fit_piecewise(std::span<const TimedSize> samples, const PiecewiseOptions& options) {
  if (const auto fine = check_options(options); !fine) return tl::unexpected(fine.error());
  const auto sorted = sort_samples(samples);
  if (!sorted) return tl::unexpected(sorted.error());
  const auto forced = forced_cuts(*sorted, options);
  if (!forced) return tl::unexpected(forced.error());
  if (*std::max_element(sorted->y.begin(), sorted->y.end()) <= 0.0) return base::fail("every time is 0: nothing was measured");
  const CutOptions cut_options{{options.min_samples, options.max_sections, *forced}, options.least_relative_noise};
  const CutSamples cut = cut_samples(sorted->x, sorted->y, cut_options);
  if (cut.cuts.empty())
    return base::fail(fmt::format(
        "too few samples are left between the required breaks once outliers are out, at least {} of two sizes are needed",
        options.min_samples));
  return Description(*sorted, cut, options, *forced).describe();
}

} // namespace farcast::fit
