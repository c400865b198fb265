#include "calib/fit/power_models.h"

#include "calib/fit/partition.h"
#include "predictor/model/frequency_law.h"
#include "predictor/model/thread_formulas.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>

namespace farcast::fit {

namespace {

constexpr double kGiga = 1e9;

std::map<double, std::vector<PowerSample>> by_frequency(std::span<const PowerSample> samples) {
  std::map<double, std::vector<PowerSample>> answer;
  for (const PowerSample& sample : samples) answer[sample.frequency_hz].push_back(sample);
  return answer;
}

// Static power and dynamic power per workload at one frequency; `index[workload]` is its column.
// Static is bounded by 0 as well: whoever measured a negative one has other troubles.
base::Result<HeinrichPower> fit_heinrich_at(double frequency_hz, std::span<const PowerSample> samples, double confidence) {
  HeinrichPower power;
  power.frequency_hz = frequency_hz;
  std::map<std::string, std::size_t> column;
  std::vector<double> idle, watts;
  std::set<int> counts;
  for (const PowerSample& sample : samples) {
    if (sample.active_cores == 0) {
      idle.push_back(sample.watts);
      continue;
    }
    column.emplace(sample.workload, 0);
    counts.insert(sample.active_cores);
    watts.push_back(sample.watts);
  }
  if (!idle.empty()) power.idle_w = mean_estimate(idle, confidence);
  if (counts.size() < 2)
    return base::fail(fmt::format("at {:g} GHz there are samples with {} numbers of active cores, two different ones are needed",
                                  frequency_hz / kGiga, counts.size()));
  std::size_t next = 1;
  for (auto& [workload, index] : column) index = next++;
  Matrix regressors(watts.size(), next);
  std::size_t row = 0;
  for (const PowerSample& sample : samples) {
    if (sample.active_cores == 0) continue;
    regressors(row, 0) = 1.0;
    regressors(row, column.at(sample.workload)) = sample.active_cores;
    ++row;
  }
  const auto fit = fit_non_negative(regressors, watts, {}, confidence);
  if (!fit) return base::fail(fmt::format("at {:g} GHz {}", frequency_hz / kGiga, fit.error().message));
  power.static_w = fit->coefficient[0];
  for (const auto& [workload, index] : column) power.dynamic.push_back({workload, fit->coefficient[index]});
  return power;
}

// A straight piece over the thread counts in (above, up_to].
base::Result<LinearFit> fit_piece(std::span<const PowerSample> samples, int above, int up_to, double confidence) {
  std::vector<double> watts;
  std::vector<int> threads;
  for (const PowerSample& sample : samples)
    if (sample.active_cores > above && sample.active_cores <= up_to) {
      watts.push_back(sample.watts);
      threads.push_back(sample.active_cores);
    }
  Matrix regressors(watts.size(), 2);
  for (std::size_t row = 0; row < watts.size(); ++row) {
    regressors(row, 0) = 1.0;
    regressors(row, 1) = threads[row];
  }
  return fit_linear(regressors, watts, {}, confidence);
}

// The model with its two bends given. `high` = `low`: no middle piece.
base::Result<ProficzPower> fit_proficz_with(double frequency_hz, std::span<const PowerSample> samples, int low, int high,
                                            double confidence) {
  ProficzPower power;
  power.frequency_hz = frequency_hz;
  power.low_threads = low;
  power.high_threads = high;
  const auto first = fit_piece(samples, 0, low, confidence);
  if (!first) return tl::unexpected(first.error());
  power.low_w = first->coefficient[0];
  power.low_w_per_thread = first->coefficient[1];
  if (high > low) {
    const auto second = fit_piece(samples, low, high, confidence);
    if (!second) return tl::unexpected(second.error());
    power.high_w = second->coefficient[0];
    power.high_w_per_thread = second->coefficient[1];
  }
  std::vector<double> beyond;
  for (const PowerSample& sample : samples)
    if (sample.active_cores > high) beyond.push_back(sample.watts);
  if (!beyond.empty()) power.max_w = mean_estimate(beyond, confidence);
  return power;
}

struct Bends {
  int low = 0, high = 0;
};

// The best of all pairs of thread counts that were measured; each piece more must save what two
// coefficients and a place cost (BIC). nullopt: no piece can begin with a line.
std::optional<Bends> find_bends(std::span<const PowerSample> samples) {
  std::vector<PowerSample> ordered(samples.begin(), samples.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const PowerSample& a, const PowerSample& b) { return a.active_cores < b.active_cores; });
  std::vector<double> threads, watts;
  const std::vector<double> ones(ordered.size(), 1.0);
  double total = 0.0;
  for (const PowerSample& sample : ordered) {
    threads.push_back(sample.active_cores);
    watts.push_back(sample.watts);
    total += sample.watts * sample.watts;
  }
  const Moments moments({threads, watts, ones});
  const std::size_t end = ordered.size();
  const auto around_mean = [&](std::size_t first) {
    const double deviation = first < end ? standard_deviation(std::span(watts).subspan(first)) : 0.0;
    return first < end ? deviation * deviation * static_cast<double>(end - first - 1) : 0.0;
  };
  std::optional<Bends> best;
  double least = std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(end);
  for (std::size_t high = 1; high <= end; ++high) {
    if (!moments.separates(high)) continue;
    const double beyond = around_mean(high);
    for (std::size_t low = 1; low <= high; ++low) {
      if (!moments.separates(low) || !moments.spreads(0, low) || (low < high && !moments.spreads(low, high))) continue;
      const double squares = moments.cost(0, low) + (low < high ? moments.cost(low, high) : 0.0) + beyond;
      const int pieces = 1 + (low < high ? 1 : 0) + (high < end ? 1 : 0);
      // Exact data leave rounding only: what is far below a microwatt counts as nothing.
      const double criterion = count * std::log(std::max(squares, 1e-16 * total) / count) + 3.0 * pieces * std::log(count);
      if (criterion >= least) continue;
      least = criterion;
      best = Bends{ordered[low - 1].active_cores, ordered[high - 1].active_cores};
    }
  }
  return best;
}

// Bends are given by the node, or found.
base::Result<ProficzPower> fit_proficz_at(double frequency_hz, std::span<const PowerSample> samples,
                                          const PowerOptions& options) {
  std::optional<Bends> bends;
  if (options.cores > 0) {
    bends = Bends{options.cores, std::max(options.cores, options.hardware_threads)};
    std::set<int> middle;
    for (const PowerSample& sample : samples)
      if (sample.active_cores > bends->low && sample.active_cores <= bends->high) middle.insert(sample.active_cores);
    // A middle piece that too little was measured in is left out, as for nodes without hyper-threading.
    if (middle.size() < 2) bends->high = bends->low;
  } else {
    bends = find_bends(samples);
  }
  if (!bends) return base::fail(fmt::format("at {:g} GHz no two numbers of active threads were measured", frequency_hz / kGiga));
  auto power = fit_proficz_with(frequency_hz, samples, bends->low, bends->high, options.confidence);
  if (!power) return base::fail(fmt::format("at {:g} GHz {}", frequency_hz / kGiga, power.error().message));
  return power;
}

} // namespace

std::optional<double> HeinrichPower::operator()(int active_cores, const std::string& workload) const {
  if (active_cores == 0) return idle_w ? std::optional(idle_w->value) : std::nullopt;
  for (const Dynamic& one : dynamic)
    if (one.workload == workload) return static_w.value + active_cores * one.watts_per_core.value; // Heinrich17 eq. (1)
  return std::nullopt;
}

double ProficzPower::operator()(int threads) const { // Proficz16 Table 1, power consumption
  model::ThreadPower power;
  power.low_threads = low_threads;
  power.low = base::Watts(low_w.value);
  power.low_per_thread = base::Watts(low_w_per_thread.value);
  if (high_w) {
    power.high_threads = high_threads;
    power.high = base::Watts(high_w->value);
    power.high_per_thread = base::Watts(high_w_per_thread->value);
  }
  // PW_max caps no fitted piece, which follows its own samples: it stands for what lies beyond.
  if (max_w && threads > std::max(power.low_threads, power.high_threads)) return max_w->value;
  return model::thread_power(power, threads).value();
}

double BalladiniPower::operator()(double frequency_hz) const {
  const model::PowerCurve curve{base::Watts(constant_w.value), base::Watts(linear_w_per_ghz.value),
                                base::Watts(square_w_per_ghz2.value)};
  return curve(base::Hertz(frequency_hz)).value();
}

base::Result<std::vector<HeinrichPower>> fit_heinrich(std::span<const PowerSample> samples, const PowerOptions& options) {
  std::vector<HeinrichPower> answer;
  for (const auto& [frequency, part] : by_frequency(samples)) {
    auto power = fit_heinrich_at(frequency, part, options.confidence);
    if (!power) return tl::unexpected(power.error());
    answer.push_back(std::move(*power));
  }
  return answer;
}

base::Result<std::vector<ProficzPower>> fit_proficz(std::span<const PowerSample> samples, const PowerOptions& options) {
  std::vector<ProficzPower> answer;
  for (const auto& [frequency, part] : by_frequency(samples)) {
    // The paper's p counts threads that compute; PW_low + KW_low * 0 is no idle power, so idle
    // samples take no part.
    std::vector<PowerSample> active;
    std::copy_if(part.begin(), part.end(), std::back_inserter(active),
                 [](const PowerSample& sample) { return sample.active_cores > 0; });
    if (active.empty()) return base::fail(fmt::format("at {:g} GHz there are idle samples only", frequency / kGiga));
    const auto power = fit_proficz_at(frequency, active, options);
    if (!power) return tl::unexpected(power.error());
    answer.push_back(*power);
  }
  return answer;
}

base::Result<std::vector<BalladiniPower>> fit_balladini(std::span<const PowerSample> samples, const PowerOptions& options) {
  std::map<std::pair<std::string, int>, std::vector<const PowerSample*>> groups;
  for (const PowerSample& sample : samples)
    groups[{sample.active_cores == 0 ? std::string() : sample.workload, sample.active_cores}].push_back(&sample);
  std::vector<BalladiniPower> answer;
  std::size_t most = 0;
  for (const auto& [key, group] : groups) {
    std::set<double> frequencies;
    Matrix regressors(group.size(), 3);
    std::vector<double> watts;
    for (const PowerSample* sample : group) {
      const double ghz = sample->frequency_hz / kGiga;
      frequencies.insert(ghz);
      regressors(watts.size(), 0) = 1.0;
      regressors(watts.size(), 1) = ghz;
      regressors(watts.size(), 2) = ghz * ghz;
      watts.push_back(sample->watts);
    }
    most = std::max(most, frequencies.size());
    if (frequencies.size() < 3) continue;
    const auto fit = fit_linear(regressors, watts, {}, options.confidence);
    if (!fit) continue;
    answer.push_back({key.first, key.second, fit->coefficient[0], fit->coefficient[1], fit->coefficient[2]});
  }
  if (answer.empty())
    return base::fail(fmt::format("no workload was measured at more than {} frequencies, three are needed", most));
  return answer;
}

base::Result<void> fit_model(PowerModel model, std::span<const PowerSample> samples, const PowerOptions& options, PowerFit& fit) {
  const auto take = [](auto&& found, auto& place) -> base::Result<void> {
    if (!found) return tl::unexpected(found.error());
    place = std::move(*found);
    return {};
  };
  switch (model) {
  case PowerModel::heinrich17:
    return take(fit_heinrich(samples, options), fit.heinrich);
  case PowerModel::proficz16:
    return take(fit_proficz(samples, options), fit.proficz);
  case PowerModel::balladini13:
    return take(fit_balladini(samples, options), fit.balladini);
  }
  return {};
}

} // namespace farcast::fit
