#include "calib/fit/piecewise.h"

#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>

using namespace farcast::fit;
using Catch::Matchers::Contains;

namespace {

// Sizes 1, 2, 3 ... count bytes, exact times.
template <class Time> std::vector<TimedSize> exact(std::size_t count, const Time& time) {
  std::vector<TimedSize> samples;
  for (std::size_t i = 1; i <= count; ++i) {
    const auto bytes = static_cast<double>(i);
    samples.push_back({bytes, time(bytes)});
  }
  return samples;
}

std::vector<TimedSize> noisy_line(std::size_t count, double relative) {
  synthetic::Random random(5);
  return exact(count, [&](double bytes) { return (1e-5 + 1e-8 * bytes) * (1.0 + relative * random.normal()); });
}

} // namespace

TEST_CASE("exact sections come back exactly") {
  const auto samples =
      exact(400, [](double x) { return x <= 100 ? 5e-6 + 1e-8 * x : (x <= 250 ? 9e-6 + 3e-8 * x : 2e-5 + 1e-9 * x); });
  const auto fit = fit_piecewise(samples);
  REQUIRE(fit);
  REQUIRE(fit->sections.size() == 3);
  CHECK(fit->breaks[0].samples_below == 100);
  CHECK(fit->breaks[0].bytes == 100.0); // strictly above 100 bytes, not above 101
  CHECK(fit->breaks[1].bytes == 250.0);
  CHECK(fit->breaks[1].jump_s == Approx(2e-5 + 1e-9 * 250 - 9e-6 - 3e-8 * 250).epsilon(1e-3));
  CHECK(fit->sections[0].from_bytes == 0.0);
  CHECK(fit->sections[0].base_s.value == Approx(5e-6).epsilon(1e-6));
  CHECK(fit->sections[1].per_byte_s.value == Approx(3e-8).epsilon(1e-6));
  CHECK(fit->sections[2].base_s.value == Approx(2e-5).epsilon(1e-6));
  CHECK(fit->sections[2].samples == 150);
  CHECK(fit->sections[2].smallest_bytes == 251.0);
  CHECK(fit->sections[2].largest_bytes == 400.0);
  CHECK(fit->sections[1].r_squared == Approx(1.0));
  CHECK(fit->sections[1].residual_95 < 1e-6);
  CHECK(fit->samples == 400);
  CHECK(fit->outliers == 0);
}

TEST_CASE("the section of a size is strictly above its beginning") {
  const auto fit = fit_piecewise(exact(200, [](double x) { return x <= 80 ? 1e-6 : 5e-6 + 1e-8 * x; }));
  REQUIRE(fit);
  REQUIRE(fit->breaks.size() == 1);
  CHECK((*fit)(0.0) == Approx(1e-6));
  CHECK((*fit)(80.0) == Approx(1e-6));
  CHECK((*fit)(81.0) == Approx(5.81e-6));
  CHECK((*fit)(1000.0) == Approx(1.5e-5));
  CHECK(fit->section(80.0).base_s.value == Approx(1e-6));
}

TEST_CASE("the order of the samples does not matter") {
  const synthetic::Truth truth = synthetic::Generator{}(7);
  std::vector<TimedSize> backwards(truth.samples.rbegin(), truth.samples.rend());
  const auto one = fit_piecewise(truth.samples), other = fit_piecewise(backwards);
  REQUIRE(one);
  REQUIRE(other);
  REQUIRE(one->sections.size() == other->sections.size());
  for (std::size_t k = 0; k < one->sections.size(); ++k) {
    CHECK(one->sections[k].from_bytes == other->sections[k].from_bytes);
    CHECK(one->sections[k].per_byte_s.value == other->sections[k].per_byte_s.value);
  }
}

TEST_CASE("noise is told as a share of the time or as seconds") {
  SECTION("multiplicative") {
    const auto fit = fit_piecewise(noisy_line(2000, 0.08));
    REQUIRE(fit);
    CHECK(fit->sections.size() == 1);
    CHECK(fit->noise(2e-5) == Approx(0.08 * 2e-5).epsilon(0.12));
    CHECK(fit->sections[0].residual_50 == Approx(0.08 * 0.6745).epsilon(0.1));
    CHECK(fit->sections[0].residual_95 == Approx(0.08 * 1.96).epsilon(0.1));
  }
  SECTION("additive, times over two decades") {
    synthetic::Random random(3);
    const auto fit = fit_piecewise(exact(2000, [&](double x) { return 2e-5 + 1e-6 * x + 4e-6 * random.normal(); }));
    REQUIRE(fit);
    CHECK(fit->sections.size() == 1);
    CHECK(fit->noise(1e-3) == Approx(4e-6).epsilon(0.15));
    CHECK(fit->noise(3e-5) == Approx(4e-6).epsilon(0.15));
  }
}

TEST_CASE("outliers move nothing and are counted") {
  auto samples = noisy_line(500, 0.02);
  const auto clean = fit_piecewise(samples);
  for (std::size_t i = 20; i < samples.size(); i += 50) samples[i].seconds *= 7.0;
  const auto fit = fit_piecewise(samples);
  REQUIRE(clean);
  REQUIRE(fit);
  CHECK(fit->sections.size() == 1);
  CHECK(fit->outliers >= 10);
  CHECK(fit->outliers <= 12);
  CHECK(fit->sections[0].outliers == fit->outliers);
  CHECK(std::fabs(fit->sections[0].per_byte_s.value - clean->sections[0].per_byte_s.value) <
        clean->sections[0].per_byte_s.standard_error);
}

TEST_CASE("a required break is there, exact, and others are found beside it") {
  PiecewiseOptions options;
  options.required_breaks_bytes = {64.0};
  SECTION("where nothing happens") {
    const auto fit = fit_piecewise(noisy_line(200, 0.05), options);
    REQUIRE(fit);
    REQUIRE(fit->breaks.size() == 1);
    CHECK(fit->breaks[0].bytes == 64.0);
    CHECK(fit->breaks[0].required);
    CHECK(fit->breaks[0].samples_below == 64);
    CHECK(fit->breaks[0].bytes_interval.low == 64.0);
    CHECK(fit->breaks[0].bytes_interval.high == 64.0);
  }
  SECTION("between sizes") {
    options.required_breaks_bytes = {64.5};
    const auto fit = fit_piecewise(noisy_line(200, 0.05), options);
    REQUIRE(fit);
    REQUIRE(fit->breaks.size() == 1);
    CHECK(fit->breaks[0].bytes == 64.5);
    CHECK(fit->breaks[0].samples_below == 64);
  }
  SECTION("with another one above") {
    const auto fit = fit_piecewise(exact(300, [](double x) { return x <= 150 ? 1e-5 + 1e-8 * x : 3e-5 + 1e-8 * x; }), options);
    REQUIRE(fit);
    REQUIRE(fit->breaks.size() == 2);
    CHECK(fit->breaks[1].bytes == 150.0);
    CHECK_FALSE(fit->breaks[1].required);
  }
}

TEST_CASE("few sizes measured many times: a break never parts one size") {
  synthetic::Random random(11);
  std::vector<TimedSize> samples;
  for (const double bytes : {1.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0})
    for (int i = 0; i < 40; ++i)
      samples.push_back({bytes, (bytes <= 4096.0 ? 5e-6 + 1e-9 * bytes : 4e-5 + 1e-9 * bytes) * (1.0 + 0.05 * random.normal())});
  const auto fit = fit_piecewise(samples);
  REQUIRE(fit);
  REQUIRE(fit->breaks.size() == 1);
  CHECK(fit->breaks[0].samples_below == 200);
  CHECK(fit->breaks[0].bytes == 8192.0); // the middle of what is possible, on a logarithmic scale
  CHECK(fit->breaks[0].bytes_interval.low == 4096.0);
  CHECK(fit->breaks[0].bytes_interval.high == 16384.0);
}

TEST_CASE("a section that may end after its smallest sizes does not say anything of the others") {
  // Noise of 30 %, sizes by their logarithm from 1 B on, and a break that is hard to see: it may
  // lie at 8 B.
  synthetic::Random random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<TimedSize> samples;
    for (int i = 0; i < 32; ++i) {
      const double bytes = std::floor(std::exp(random.uniform(0.0, std::log(3e6))));
      const double seconds = (bytes <= 50000 ? 9e-6 : 16e-6) * std::max(0.2, 1.0 + 0.3 * random.normal());
      samples.push_back({bytes, seconds});
    }
    const auto fit = fit_piecewise(samples);
    REQUIRE(fit);
    for (const Section& section : fit->sections) {
      CAPTURE(round, section.from_bytes, section.largest_bytes);
      CHECK(section.per_byte_s.standard_error * section.largest_bytes < 50e-6);
      CHECK(section.base_s.standard_error < 50e-6);
    }
  }
}

TEST_CASE("at most max_sections, at least min_samples in each") {
  const auto stairs = exact(400, [](double x) { return 1e-6 * std::pow(2.0, std::floor((x - 1.0) / 50.0)); });
  PiecewiseOptions options;
  const auto all = fit_piecewise(stairs, options);
  REQUIRE(all);
  CHECK(all->sections.size() == 8);
  options.max_sections = 3;
  const auto few = fit_piecewise(stairs, options);
  REQUIRE(few);
  CHECK(few->sections.size() <= 3);
  options = {};
  options.min_samples = 60;
  const auto long_ones = fit_piecewise(stairs, options);
  REQUIRE(long_ones);
  for (const Section& section : long_ones->sections) CHECK(section.samples >= 60);
}

TEST_CASE("ten thousand samples take a moment and lose no precision") {
  synthetic::Generator generator;
  generator.least_samples = generator.most_samples = 10000;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const synthetic::Truth truth = generator(seed);
    const auto fit = fit_piecewise(truth.samples);
    REQUIRE(fit);
    REQUIRE(fit->breaks.size() == truth.breaks.size());
    for (std::size_t k = 0; k < truth.breaks.size(); ++k) {
      const auto found = static_cast<long>(fit->breaks[k].samples_below),
                 there = static_cast<long>(truth.breaks[k].samples_below);
      CHECK(std::labs(found - there) <= 1);
    }
  }
}

TEST_CASE("what a piecewise fit cannot work with is said") {
  const auto message = [](std::vector<TimedSize> samples, const PiecewiseOptions& options = {}) {
    const auto fit = fit_piecewise(samples, options);
    return fit ? std::string() : fit.error().message;
  };
  const auto line = noisy_line(50, 0.01);
  CHECK_THAT(message({}), Contains("0 samples") && Contains("at least 10"));
  CHECK_THAT(message(noisy_line(9, 0.01)), Contains("9 samples"));
  CHECK_THAT(message(std::vector<TimedSize>(30, {8.0, 1e-6})), Contains("one size"));
  CHECK_THAT(message({{-1.0, 1e-6}}), Contains("sample 1 is -1 bytes"));
  CHECK_THAT(message({{1.0, std::nan("")}}), Contains("finite"));
  CHECK_THAT(message(exact(50, [](double) { return 0.0; })), Contains("every time is 0"));
  PiecewiseOptions options;
  options.required_breaks_bytes = {45.0};
  CHECK_THAT(message(line, options), Contains("5 samples") && Contains("between 45 and 50 bytes"));
  options = {};
  options.min_samples = 3;
  CHECK_THAT(message(line, options), Contains("at least 4"));
  options = {};
  options.max_sections = 1;
  options.required_breaks_bytes = {20.0};
  CHECK_THAT(message(line, options), Contains("more than 1 sections"));
  options = {};
  options.confidence = 1.0;
  CHECK_THAT(message(line, options), Contains("confidence"));
  options = {};
  options.least_relative_noise = 0.0;
  CHECK_THAT(message(line, options), Contains("noise"));
}

TEST_CASE("whatever is measured, the sections cover it and everything is finite") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    synthetic::Random random(seed);
    const std::size_t count = 10 + random.below(150);
    const double sizes = random.log_uniform(2.0, 1e4), spread = random.log_uniform(1e-4, 2.0);
    const bool coarse_clock = random.chance(0.3), two_modes = random.chance(0.3), wild = random.chance(0.3);
    std::vector<TimedSize> samples;
    for (std::size_t i = 0; i < count; ++i) {
      const double bytes = std::floor(random.uniform(0.0, sizes));
      double seconds = (1e-5 + 1e-8 * bytes) * std::exp(spread * random.normal());
      if (two_modes && random.chance(0.4)) seconds *= 3.0;
      if (wild) seconds = random.log_uniform(1e-7, 1e-1);
      if (coarse_clock) seconds = 1e-5 * std::floor(1e5 * seconds);
      samples.push_back({bytes, seconds});
    }
    samples.push_back({0.0, 1e-5}); // two sizes at least, and a time above 0
    samples.push_back({sizes + 1.0, 1e-5});
    const auto fit = fit_piecewise(samples);
    REQUIRE(fit);
    std::size_t covered = 0, outliers = 0;
    for (const Section& section : fit->sections) {
      covered += section.samples;
      outliers += section.outliers;
      CHECK(section.samples >= 10);
      CHECK(section.largest_bytes > section.smallest_bytes);
      for (const double value : {section.base_s.value, section.per_byte_s.value, section.residual_95, section.r_squared})
        CHECK(std::isfinite(value));
    }
    CHECK(covered == samples.size());
    CHECK(outliers == fit->outliers);
    REQUIRE(fit->breaks.size() + 1 == fit->sections.size());
    for (std::size_t k = 0; k < fit->breaks.size(); ++k) {
      const Breakpoint& at = fit->breaks[k];
      CHECK(at.bytes == fit->sections[k + 1].from_bytes);
      CHECK(at.bytes > fit->sections[k].from_bytes);
      CHECK(fit->sections[k].largest_bytes <= at.bytes);
      CHECK(fit->sections[k + 1].smallest_bytes > at.bytes);
      CHECK(at.bytes_interval.contains(at.bytes));
      CHECK(at.first_samples_below <= at.samples_below);
      CHECK(at.samples_below <= at.last_samples_below);
    }
    CHECK((*fit)(sizes) >= 0.0);
  }
}
