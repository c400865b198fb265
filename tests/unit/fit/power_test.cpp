#include "calib/fit/power.h"

#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace farcast::fit;
using Catch::Matchers::Contains;

namespace {

using Law = std::function<double(int cores, double ghz, const std::string& workload)>;

struct Steps {
  std::vector<int> cores;
  std::vector<double> ghz;
  std::vector<std::string> workloads;
  int repeats = 3;
};

std::vector<PowerSample> measure(const Law& law, const Steps& steps, double noise_w, std::uint64_t seed) {
  synthetic::Random random(seed);
  std::vector<PowerSample> samples;
  for (const double ghz : steps.ghz)
    for (const std::string& workload : steps.workloads)
      for (const int cores : steps.cores)
        for (int i = 0; i < steps.repeats; ++i)
          samples.push_back({cores, ghz * 1e9, workload, law(cores, ghz, workload) + noise_w * random.normal()});
  return samples;
}

// Figures like those of taurus (Heinrich17): 12 cores; idle below static.
double taurus(int cores, double ghz, const std::string& workload) {
  if (cores == 0) return 80.0 + 2.0 * ghz;
  const double dynamic = workload == "compute" ? 4.4 * ghz : (workload == "polling" ? 3.5 * ghz : 2.6 * ghz);
  return 95.0 + cores * dynamic;
}

// Proficz16 Table 3, Galera+: 12 cores, 24 hardware threads.
double galera(int threads, double, const std::string&) {
  if (threads <= 12) return 78.0 + 4.84 * threads;
  return threads <= 24 ? 109.0 + 1.90 * threads : 151.0;
}

// Cores that share their clock's budget: nothing linear in them; exactly quadratic in the frequency
// (Balladini13).
double turbo(int cores, double ghz, const std::string&) {
  const double busy = std::sqrt(cores);
  return 50.0 + 20.0 * busy + (3.0 - 8.0 * busy) * ghz + (2.0 + 4.0 * busy) * ghz * ghz;
}

std::vector<int> up_to(int most) {
  std::vector<int> counts;
  for (int n = 1; n <= most; ++n) counts.push_back(n);
  return counts;
}

const Steps kTaurusSteps{{0, 1, 2, 4, 8, 12}, {1.2, 1.8, 2.3}, {"compute", "polling", "probing"}};

} // namespace

TEST_CASE("Heinrich17 eq. (1) comes back: idle, static, dynamic of each workload") {
  const auto fit = fit_power(measure(taurus, kTaurusSteps, 0.0, 1));
  REQUIRE(fit);
  REQUIRE(fit->heinrich.size() == 3);
  const HeinrichPower& full = fit->heinrich[2];
  CHECK(full.frequency_hz == 2.3e9);
  REQUIRE(full.idle_w);
  CHECK(full.idle_w->value == Approx(84.6));
  CHECK(full.static_w.value == Approx(95.0));
  REQUIRE(full.dynamic.size() == 3);
  CHECK(full.dynamic[0].workload == "compute");
  CHECK(full.dynamic[0].watts_per_core.value == Approx(4.4 * 2.3));
  CHECK(full.dynamic[1].watts_per_core.value == Approx(3.5 * 2.3));
  CHECK(full.dynamic[2].watts_per_core.value == Approx(2.6 * 2.3));
  CHECK(*full(0, "") == Approx(84.6));
  CHECK(*full(12, "compute") == Approx(95.0 + 12 * 4.4 * 2.3));
  CHECK_FALSE(full(12, "memory"));
  CHECK(fit->quality[0].r_squared == Approx(1.0));
  CHECK(fit->quality[0].samples == 162);
}

TEST_CASE("eq. (1) through noise: inside the intervals as often as they say, and the best model") {
  int inside = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto fit = fit_power(measure(taurus, kTaurusSteps, 2.0, seed));
    REQUIRE(fit);
    REQUIRE(fit->best);
    CHECK(*fit->best == PowerModel::heinrich17);
    CHECK(fit->quality[0].cross_rms_w == Approx(2.0).epsilon(0.4));
    CHECK(fit->quality[0].r_squared > 0.97);
    for (const HeinrichPower& power : fit->heinrich) {
      const double ghz = power.frequency_hz / 1e9;
      inside += power.static_w.interval.contains(95.0) ? 1 : 0;
      inside += power.idle_w->interval.contains(80.0 + 2.0 * ghz) ? 1 : 0;
      inside += power.dynamic[0].watts_per_core.interval.contains(4.4 * ghz) ? 1 : 0;
      all += 3;
    }
  }
  CHECK(inside == Approx(0.95 * all).margin(0.03 * all));
}

TEST_CASE("Proficz16's pieces come back, their bends found or given") {
  const auto samples = measure(galera, {up_to(30), {2.27}, {"compute"}, 2}, 0.0, 1);
  for (const bool given : {false, true}) {
    PowerOptions options;
    if (given) {
      options.cores = 12;
      options.hardware_threads = 24;
    }
    const auto fit = fit_power(samples, options);
    REQUIRE(fit);
    REQUIRE(fit->proficz.size() == 1);
    const ProficzPower& power = fit->proficz[0];
    CHECK(power.low_threads == 12);
    CHECK(power.high_threads == 24);
    CHECK(power.low_w.value == Approx(78.0));
    CHECK(power.low_w_per_thread.value == Approx(4.84));
    REQUIRE(power.high_w);
    CHECK(power.high_w->value == Approx(109.0));
    CHECK(power.high_w_per_thread->value == Approx(1.90));
    REQUIRE(power.max_w);
    CHECK(power.max_w->value == Approx(151.0));
    CHECK(power(6) == Approx(78.0 + 6 * 4.84));
    CHECK(power(100) == Approx(151.0));
    REQUIRE(fit->best);
    CHECK(*fit->best == PowerModel::proficz16);
    CHECK_THAT(fit->verdict, Contains("Proficz16") && Contains("best"));
  }
}

TEST_CASE("Proficz16's bends through noise") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto fit = fit_power(measure(galera, {up_to(30), {2.27}, {"compute"}, 5}, 0.7, seed));
    REQUIRE(fit);
    const ProficzPower& power = fit->proficz.at(0);
    CHECK(std::abs(power.low_threads - 12) <= 2);
    CHECK(std::abs(power.high_threads - 24) <= 3);
    CHECK(*fit->best == PowerModel::proficz16);
    for (const int threads : {1, 6, 18, 23, 30}) CHECK(power(threads) == Approx(galera(threads, 0, "")).margin(1.5));
  }
}

TEST_CASE("a node without hyper-threading has no middle piece") {
  const auto one_line = [](int threads, double, const std::string&) { return 60.0 + 7.0 * std::min(threads, 8); };
  const auto fit = fit_power(measure(one_line, {up_to(12), {2.0}, {"compute"}, 2}, 0.0, 1));
  REQUIRE(fit);
  CHECK_FALSE(fit->proficz.at(0).high_w);
  CHECK(fit->proficz[0].max_w->value == Approx(116.0));
  PowerOptions options;
  options.cores = 8;
  options.hardware_threads = 8;
  const auto given = fit_power(measure(one_line, {up_to(8), {2.0}, {"compute"}, 2}, 0.0, 1), options);
  REQUIRE(given);
  CHECK_FALSE(given->proficz.at(0).max_w);
  CHECK(given->proficz[0](20) == Approx(116.0));
}

TEST_CASE("Balladini13's polynomial comes back, and wins where cores are not linear") {
  const Steps steps{{1, 2, 3, 6}, {1.59, 1.9, 2.2, 2.5, 2.79, 3.19}, {"compute"}};
  const auto exact = fit_power(measure(turbo, steps, 0.0, 1));
  REQUIRE(exact);
  REQUIRE(exact->balladini.size() == 4);
  const BalladiniPower& four = exact->balladini[3];
  CHECK(four.active_cores == 6);
  CHECK(four.workload == "compute");
  CHECK(four.constant_w.value == Approx(50.0 + 20.0 * std::sqrt(6)));
  CHECK(four.linear_w_per_ghz.value == Approx(3.0 - 8.0 * std::sqrt(6)));
  CHECK(four.square_w_per_ghz2.value == Approx(2.0 + 4.0 * std::sqrt(6)));
  CHECK(four(2.5e9) == Approx(turbo(6, 2.5, "")));
  CHECK(exact->quality[2].r_squared == Approx(1.0));
  CHECK(*exact->best == PowerModel::balladini13);
  const auto noisy = fit_power(measure(turbo, steps, 0.5, 2));
  REQUIRE(noisy);
  CHECK(*noisy->best == PowerModel::balladini13);
  CHECK(noisy->quality[2].cross_rms_w < noisy->quality[0].cross_rms_w);
  CHECK(noisy->quality[2].cross_samples == noisy->quality[0].cross_samples);
}

TEST_CASE("a model that the samples cannot carry is left out, and says why") {
  const auto fit = fit_power(measure(taurus, {{1, 4, 8, 12}, {2.3}, {"compute", "memory"}}, 1.0, 1));
  REQUIRE(fit);
  CHECK(fit->quality[0].fitted);
  CHECK_FALSE(fit->quality[2].fitted);
  CHECK_THAT(fit->quality[2].reason, Contains("1 frequencies, three are needed"));
  CHECK_FALSE(fit->heinrich[0].idle_w);
  CHECK_FALSE(fit->watts(PowerModel::heinrich17, 0, 2.3e9, ""));
  CHECK_FALSE(fit->watts(PowerModel::heinrich17, 4, 1e9, "compute"));
  CHECK_FALSE(fit->watts(PowerModel::balladini13, 4, 2.3e9, "compute"));
}

TEST_CASE("too little to compare by") {
  const auto fit = fit_power(measure(taurus, {{0, 12, 6}, {2.3}, {"compute"}, 1}, 0.0, 1));
  REQUIRE(fit);
  CHECK_FALSE(fit->best);
  CHECK_THAT(fit->verdict, Contains("cannot be compared"));
}

TEST_CASE("what a power fit cannot work with is said") {
  const auto message = [](const std::vector<PowerSample>& samples, const PowerOptions& options = {}) {
    const auto fit = fit_power(samples, options);
    return fit ? std::string() : fit.error().message;
  };
  CHECK_THAT(message({}), Contains("no power samples"));
  CHECK_THAT(message({{1, 1e9, "compute", 0.0}}), Contains("power sample 1 has 0 W"));
  CHECK_THAT(message({{1, 0.0, "compute", 9.0}}), Contains("frequency 0 Hz"));
  CHECK_THAT(message({{-1, 1e9, "compute", 9.0}}), Contains("-1 active cores"));
  CHECK_THAT(message({{0, 1e9, "", 9.0}}), Contains("no power model can be fitted") && Contains("two different ones are needed"));
  PowerOptions options;
  options.cores = 8;
  options.hardware_threads = 4;
  CHECK_THAT(message({{1, 1e9, "compute", 9.0}}, options), Contains("8 cores with 4 hardware threads"));
  options = {};
  options.folds = 1;
  CHECK_THAT(message({{1, 1e9, "compute", 9.0}}, options), Contains("2 folds"));
}
