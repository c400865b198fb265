#include "calib/fit/batches.h"

#include "calib/fit/piecewise.h"
#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace farcast::fit;

namespace {

constexpr int kBatches = 32;
constexpr double kDrift = 0.1; // standard deviation of a batch's common factor
constexpr double kNoise = 0.1; // of one sample
constexpr double kBase = 2e-6, kSlope = 1e-9, kRendezvous = 8e-6;
constexpr double kLimit = 4096;

// The factor of each batch: an autoregression of first order, as of a machine whose clock drifts.
// alike 0: independent.
std::vector<double> factors(synthetic::Random& random, double alike) {
  std::vector<double> factor;
  double state = random.normal();
  for (int batch = 0; batch < kBatches; ++batch) {
    factor.push_back(1.0 + kDrift * state);
    state = alike * state + std::sqrt(1.0 - alike * alike) * random.normal();
  }
  return factor;
}

struct Run {
  std::vector<double> values;
  std::vector<int> batch;
};
Run run_of(std::uint64_t seed, double alike) {
  synthetic::Random random(seed);
  const std::vector<double> factor = factors(random, alike);
  Run run;
  for (int batch = 0; batch < kBatches; ++batch) {
    for (int i = 0; i < 20; ++i) {
      const double outlier = random.chance(0.02) ? 5.0 : 0.0;
      run.values.push_back(kBase * (factor[static_cast<std::size_t>(batch)] + kNoise * random.normal() + outlier));
      run.batch.push_back(batch);
    }
  }
  return run;
}

// Two sections with a known break, sizes of all batches alike.
std::vector<TimedSize> messages_of(std::uint64_t seed, double alike, bool tell_batches) {
  synthetic::Random random(seed);
  const std::vector<double> factor = factors(random, alike);
  std::vector<TimedSize> samples;
  for (int batch = 0; batch < kBatches; ++batch) {
    for (int i = 0; i < 24; ++i) {
      const double bytes = std::floor(random.log_uniform(1.0, 65536.0));
      const double truth = kBase + kSlope * bytes + (bytes > kLimit ? kRendezvous : 0.0);
      const double seconds = truth * (factor[static_cast<std::size_t>(batch)] + kNoise * random.normal());
      samples.push_back({bytes, std::max(1e-9, seconds), tell_batches ? batch : kNoBatch});
    }
  }
  return samples;
}

PiecewiseFit fit_of(const std::vector<TimedSize>& samples) {
  PiecewiseOptions options;
  options.required_breaks_bytes = {kLimit};
  const auto fit = fit_piecewise(samples, options);
  REQUIRE(fit);
  return *fit;
}

bool share_a_point(const Interval& a, const Interval& b, const Interval& c) {
  return std::max({a.low, b.low, c.low}) <= std::min({a.high, b.high, c.high});
}

// Shares of runs, as percentages, whose interval holds the truth.
struct Coverage {
  double base, slope, start_above;
};
Coverage coverage_of_sections(double alike, bool tell_batches, int runs) {
  int base = 0, slope = 0, above = 0;
  for (int run = 1; run <= runs; ++run) {
    const PiecewiseFit fit = fit_of(messages_of(static_cast<std::uint64_t>(run), alike, tell_batches));
    base += fit.sections.front().base_s.interval.contains(kBase) ? 1 : 0;
    slope += fit.section(65536).per_byte_s.interval.contains(kSlope) ? 1 : 0;
    above += fit.section(65536).base_s.interval.contains(kBase + kRendezvous) ? 1 : 0;
  }
  const double share = 100.0 / runs;
  return {base * share, slope * share, above * share};
}

double coverage_of_median(double alike, bool tell_batches, int runs) {
  int hits = 0;
  for (int i = 1; i <= runs; ++i) {
    Run run = run_of(static_cast<std::uint64_t>(i), alike);
    if (!tell_batches) run.batch.assign(run.batch.size(), kNoBatch);
    hits += batch_median_estimate(run.values, run.batch).interval.contains(kBase) ? 1 : 0;
  }
  return 100.0 * hits / runs;
}

} // namespace

TEST_CASE("few batches: the usual error of groups, whatever their order") {
  const std::vector<double> pulls{0.3, -0.1, 0.2, -0.4}, turned{-0.4, 0.2, 0.3, -0.1};
  double squares = 0.0;
  for (const double pull : pulls) squares += pull * pull;
  const Estimate estimate = batch_estimate(5.0, pulls);
  CHECK(estimate.value == 5.0);
  CHECK(estimate.standard_error == Approx(std::sqrt(squares * 4.0 / 3.0)));
  CHECK(batch_estimate(5.0, turned).standard_error == Approx(estimate.standard_error));
  CHECK(estimate.interval.high - 5.0 == Approx(3.182446 * estimate.standard_error)); // t of 3 degrees of freedom
  CHECK(5.0 - estimate.interval.low == Approx(3.182446 * estimate.standard_error));
}

TEST_CASE("a drift over the whole run widens more than as much scatter without order") {
  std::vector<double> drift, scatter;
  for (int i = 0; i < kBatches; ++i) {
    drift.push_back(i - 0.5 * (kBatches - 1));
    scatter.push_back((i % 2 == 0 ? 0.5 : -0.5) * kBatches / std::sqrt(3.0));
  }
  CHECK(batch_estimate(0.0, drift).standard_error > 3.0 * batch_estimate(0.0, scatter).standard_error);
}

TEST_CASE("batches without a difference, or too few, leave the plain interval") {
  const std::vector<double> same(40, 3.0);
  std::vector<int> batch;
  for (int i = 0; i < 40; ++i) batch.push_back(i / 4);
  const Estimate none = batch_median_estimate(same, batch);
  CHECK(none.interval.low == 3.0);
  CHECK(none.interval.high == 3.0);
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<int> two{0, 0, 0, 0, 1, 1, 1, 1};
  CHECK(batch_median_estimate(values, two).interval.high == median_estimate(values).interval.high);
}

TEST_CASE("intervals of medians hold the truth as often as they say, which plain ones do not") {
  const double independent = coverage_of_median(0.0, true, 1000), drifting = coverage_of_median(0.6, true, 1000);
  const double plain = coverage_of_median(0.0, false, 1000);
  WARN("median: 95 % intervals hold the truth in " << independent << " % (independent batches), " << drifting << " % (drifting), "
                                                   << plain << " % (batches not heeded)");
  CHECK(independent > 93.0);
  CHECK(independent < 97.5);
  CHECK(drifting > 91.0);
  CHECK(drifting < 97.5);
  CHECK(plain < 60.0);
}

TEST_CASE("runs in states of their own: joined, their intervals hold the truth") {
  for (const int runs : {2, 3, 5}) {
    int hits = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      synthetic::Random random(seed);
      Run all;
      for (int run = 0; run < runs; ++run) {
        const double state = 1.0 + kDrift * random.normal();
        const Run one = run_of(1000 * seed + static_cast<std::uint64_t>(run), 0.6);
        for (std::size_t i = 0; i < one.values.size(); ++i) {
          all.values.push_back(one.values[i] * state);
          all.batch.push_back(run * kBatchesOfRun + one.batch[i]);
        }
      }
      hits += batch_median_estimate(all.values, all.batch).interval.contains(kBase) ? 1 : 0;
    }
    WARN(runs << " runs in states of their own: inside the 95 % interval in " << hits << " of 500");
    CHECK(hits >= 440);
  }
}

TEST_CASE("intervals of sections hold the truth as often as they say, which plain ones do not") {
  const Coverage independent = coverage_of_sections(0.0, true, 400), drifting = coverage_of_sections(0.6, true, 400);
  const Coverage plain = coverage_of_sections(0.0, false, 200);
  for (const auto& [name, coverage] :
       {std::pair("independent", independent), std::pair("drifting", drifting), std::pair("not heeded", plain)})
    WARN("sections, " << name << ": bases in " << coverage.base << " % and " << coverage.start_above << " %, slopes in "
                      << coverage.slope << " %");
  for (const double share : {independent.base, independent.slope, independent.start_above}) {
    CHECK(share > 92.5);
    CHECK(share < 98.5);
  }
  for (const double share : {drifting.base, drifting.slope}) {
    CHECK(share > 90.0);
    CHECK(share < 98.5);
  }
  CHECK(plain.base < 60.0);
}

TEST_CASE("three reruns agree within their intervals") {
  int agree = 0, plain = 0;
  constexpr int kTriples = 130;
  for (std::uint64_t i = 0; i < kTriples; ++i) {
    const auto base = [&](std::uint64_t run, bool tell_batches) {
      return fit_of(messages_of(5000 + 3 * i + run, 0.6, tell_batches)).sections.front().base_s.interval;
    };
    agree += share_a_point(base(0, true), base(1, true), base(2, true)) ? 1 : 0;
    plain += share_a_point(base(0, false), base(1, false), base(2, false)) ? 1 : 0;
  }
  WARN("three reruns share a point of their intervals in " << agree << " of " << kTriples << ", " << plain
                                                           << " where batches are not heeded");
  CHECK(agree >= kTriples * 95 / 100);
  CHECK(plain < kTriples * 60 / 100);
}

TEST_CASE("batches change no value, only how sure it is") {
  const PiecewiseFit with = fit_of(messages_of(9, 0.0, true)), without = fit_of(messages_of(9, 0.0, false));
  REQUIRE(with.sections.size() == without.sections.size());
  for (std::size_t i = 0; i < with.sections.size(); ++i) {
    CHECK(with.sections[i].base_s.value == without.sections[i].base_s.value);
    CHECK(with.sections[i].per_byte_s.value == without.sections[i].per_byte_s.value);
    const Interval &wide = with.sections[i].base_s.interval, &narrow = without.sections[i].base_s.interval;
    CHECK(wide.high - wide.low >= narrow.high - narrow.low);
  }
}
