#include "calib/study/speed_comparison.h"

#include "calib/fit/distributions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace farcast::study {

namespace {

constexpr double kConfidence = 0.95;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Pair {
  const Timed* here;
  const Timed* there;
  [[nodiscard]] std::size_t samples() const { return std::min(here->samples, there->samples); }
};

base::Result<std::vector<Pair>> align(std::span<const Timed> here, std::span<const Timed> there, SpeedComparison& out) {
  std::map<std::string, const Timed*> others;
  for (const Timed& timed : there) others.emplace(timed.key, &timed);
  std::vector<Pair> pairs;
  for (const Timed& timed : here) {
    const auto other = others.find(timed.key);
    if (other != others.end()) pairs.push_back({&timed, other->second});
  }
  if (pairs.empty()) return base::fail("found nothing that was measured on both");
  out.left_out = here.size() + there.size() - 2 * pairs.size();
  out.lowest = kInfinity;
  for (const Pair& pair : pairs) {
    const fit::Estimate power = fit::ratio_estimate(pair.there->seconds, pair.here->seconds, pair.samples(), kConfidence);
    out.items.push_back({pair.here->name, pair.here->group, power, pair.here->seconds.value});
    out.lowest = std::min(out.lowest, power.value);
    out.highest = std::max(out.highest, power.value);
  }
  return pairs;
}

// Of a logarithm and its standard error.
fit::Estimate from_log(double log, double error, std::size_t samples) {
  const double value = std::exp(log);
  const double half = error > 0.0 ? fit::two_sided_factor(kConfidence, static_cast<double>(samples) - 1.0) * error : 0.0;
  if (!std::isfinite(half)) return {value, kInfinity, {0.0, kInfinity}};
  return {value, value * error, {value * std::exp(-half), value * std::exp(half)}};
}

struct LogMean { // of independent estimates
  double sum = 0.0;
  double variance = 0.0;
  std::size_t count = 0;
  void add(double log, double error) {
    sum += log;
    variance += error * error;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  [[nodiscard]] double error() const { return std::sqrt(variance) / static_cast<double>(count); }
};

// What one node's repetitions say of a mean of logarithms: each repetition has one, and they
// scatter together.
class RepetitionMeans {
public:
  // `weight`: of the item in the mean.
  void add(const Timed& timed, double weight) {
    if (count_++ == 0) means_.resize(timed.runs.size(), 0.0);
    means_.resize(std::min(means_.size(), timed.runs.size()));
    for (std::size_t i = 0; i < means_.size(); ++i) means_[i] += weight * std::log(timed.runs[i]);
  }
  // Returns: 0 where they say nothing.
  [[nodiscard]] double error() const {
    return means_.size() < 2 ? 0.0 : fit::percentile_estimate(means_, kTypicalPercent, kConfidence).standard_error;
  }

private:
  std::vector<double> means_; // [repetition]
  std::size_t count_ = 0;
};

struct BothNodes {
  RepetitionMeans here, there;
  void add(const Pair& pair, double weight) {
    here.add(*pair.here, weight);
    there.add(*pair.there, weight);
  }
  [[nodiscard]] double error() const { return std::hypot(here.error(), there.error()); }
};

} // namespace

fit::Estimate inverse(const fit::Estimate& power) {
  const double value = 1.0 / power.value;
  return {value, value * value * power.standard_error, {1.0 / power.interval.high, 1.0 / power.interval.low}};
}

std::string power_text(const fit::Estimate& power) {
  if (!std::isfinite(power.interval.high) || power.interval.low <= 0.0)
    return fmt::format("{:.4g} (interval unknown)", power.value);
  return fmt::format("{:.4g} ({:.4g} to {:.4g})", power.value, power.interval.low, power.interval.high);
}

std::string option_text(const fit::Estimate& power) {
  const fit::Estimate speed = inverse(power);
  if (!std::isfinite(speed.interval.high) || speed.interval.low <= 0.0) return fmt::format("{:.4g}", speed.value);
  return fmt::format("{:.4g}:{:.4g}:{:.4g}", speed.value, speed.interval.low, speed.interval.high);
}

base::Result<SpeedComparison> compare_kernels(std::span<const Timed> here, std::span<const Timed> there) {
  SpeedComparison out;
  const auto pairs = align(here, there, out);
  if (!pairs) return tl::make_unexpected(pairs.error());
  std::vector<std::string> names; // of groups, in order
  std::map<std::string, LogMean> groups;
  std::size_t samples = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < out.items.size(); ++i) {
    const RelativePower& item = out.items[i];
    if (std::find(names.begin(), names.end(), item.group) == names.end()) names.push_back(item.group);
    groups[item.group].add(std::log(item.power.value), item.power.standard_error / item.power.value);
    samples = std::min(samples, (*pairs)[i].samples());
  }
  LogMean all;
  BothNodes overall;
  for (const std::string& name : names) {
    const LogMean& group = groups.at(name);
    const double weight = 1.0 / static_cast<double>(group.count);
    BothNodes together;
    for (std::size_t i = 0; i < out.items.size(); ++i) {
      if (out.items[i].group != name) continue;
      together.add((*pairs)[i], weight);
      overall.add((*pairs)[i], weight / static_cast<double>(names.size()));
    }
    out.groups.push_back({name, name, from_log(group.mean(), std::max(group.error(), together.error()), samples), 0.0});
    all.add(group.mean(), group.error());
  }
  out.overall = from_log(all.mean(), std::max(all.error(), overall.error()), samples);
  return out;
}

base::Result<SpeedComparison> compare_parts(std::span<const Timed> here, std::span<const Timed> there) {
  SpeedComparison out;
  const auto pairs = align(here, there, out);
  if (!pairs) return tl::make_unexpected(pairs.error());
  fit::Estimate whole_here, whole_there;
  std::size_t samples = std::numeric_limits<std::size_t>::max();
  for (const Pair& pair : *pairs) {
    whole_here.value += pair.here->seconds.value;
    whole_there.value += pair.there->seconds.value;
    whole_here.standard_error = std::hypot(whole_here.standard_error, pair.here->seconds.standard_error);
    whole_there.standard_error = std::hypot(whole_there.standard_error, pair.there->seconds.standard_error);
    samples = std::min(samples, pair.samples());
  }
  out.overall = fit::ratio_estimate(whole_there, whole_here, samples, kConfidence);
  return out;
}

std::vector<Timed> times_of(const SpeedRecord& record, Corunners corunners) {
  const int cores = corunners == Corunners::alone ? 1 : record.cores;
  std::map<std::pair<std::string, std::uint64_t>, double> highest;
  for (const SpeedMeasurement& m : record.measurements) {
    if (m.cores != cores) continue;
    double& frequency = highest[{m.kernel, m.bytes}];
    frequency = std::max(frequency, m.frequency_hz);
  }
  std::vector<Timed> times;
  for (const SpeedMeasurement& m : record.measurements) {
    if (m.cores != cores || m.frequency_hz != highest.at({m.kernel, m.bytes})) continue;
    times.push_back({fmt::format("{} {}", m.kernel, m.bytes), name_of(m), m.bound, time_of(m), m.seconds.size(), m.seconds});
  }
  return times;
}

base::Result<void> check_comparable(const SpeedRecord& here, const std::string& here_name, const SpeedRecord& there,
                                    const std::string& there_name) {
  const auto version = [](const SpeedRecord& record) { return record.kernels.substr(0, record.kernels.find(',')); };
  if (version(here) == version(there)) return {};
  return base::fail(fmt::format("{}: found kernels of version {}, expected {} as in {}: measure both with the same farcast",
                                there_name, version(there), version(here), here_name));
}

base::Result<fit::FrequencyLaw> law_of(std::span<const TimeAt> times) {
  std::vector<fit::FrequencySample> samples;
  for (const TimeAt& time : times) {
    const double error = time.seconds.standard_error;
    const bool told = std::isfinite(error) && error > 0.0 && error < time.seconds.value;
    samples.push_back({time.frequency_hz, time.seconds.value - (told ? error : 0.0)});
    if (told) samples.push_back({time.frequency_hz, time.seconds.value + error});
  }
  return fit::fit_frequency_law(samples, kConfidence);
}

std::string use_table(std::span<const FrequencyUse> uses, const std::vector<double>& frequencies) {
  if (uses.empty()) return "";
  std::string text =
      "T(f) = T(fmax) (b fmax / f + 1 - b): b is the share of the time that the clock rules; then the speed at each "
      "frequency against the highest\n\n";
  text += fmt::format("  {:<32} {:>6} {:>16} {:>7}", "", "b", "95 %", "R^2");
  for (const double hz : frequencies) text += fmt::format(" {:>9}", fmt::format("{:.3g} GHz", hz / 1e9));
  text += "\n";
  for (const FrequencyUse& use : uses) {
    const fit::Estimate& share = use.law.clock_share;
    text += fmt::format("  {:<32} {:>6.3f} {:>16} {:>7.4f}", use.name, share.value,
                        fmt::format("{:.3f} to {:.3f}", share.interval.low, share.interval.high), use.law.r_squared);
    for (const double hz : frequencies) text += fmt::format(" {:>9.3f}", 1.0 / use.law(hz));
    text += "\n";
  }
  return text;
}

} // namespace farcast::study
