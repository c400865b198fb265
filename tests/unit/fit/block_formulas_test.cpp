#include "calib/fit/block_formulas.h"

#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>
#include <string>

using namespace farcast::fit;
using Catch::Matchers::Contains;

namespace {

struct Printed { // Proficz16 Table 3, in microseconds and microseconds per byte
  const char* cluster;
  Block block;
  double start_us, per_byte_us;
};

constexpr double kUnit = 2048.0; // D_tu, on all three clusters
constexpr Printed kTable3[] = {{"Galera+", Block::point_to_point, 3.7, 0.00063}, {"Galera", Block::point_to_point, 1.3, 0.00132},
                               {"KASK", Block::point_to_point, 1.3, 0.00181},    {"Galera+", Block::broadcast, 1.7, 0.00188},
                               {"Galera", Block::broadcast, -1.1, 0.00199},      {"KASK", Block::broadcast, -1.04, 0.0580},
                               {"Galera+", Block::scatter, 5.0, 0.00340},        {"Galera", Block::scatter, 1.1, 0.00820},
                               {"KASK", Block::scatter, 2.9, 0.00880},           {"Galera+", Block::gather, 8.1, 0.00346},
                               {"Galera", Block::gather, 16.4, 0.00100},         {"KASK", Block::gather, 10.0, 0.00990},
                               {"Galera+", Block::all_to_all, 7.5, 0.00012},     {"Galera", Block::all_to_all, 18.3, 0.00012},
                               {"KASK", Block::all_to_all, 10.1, 0.00048},       {"Galera+", Block::barrier, 1.4, 7.5},
                               {"Galera", Block::barrier, -1.2, 20.6},           {"KASK", Block::barrier, -1.8, 22.6},
                               {"Galera+", Block::disk_read, 5200, 0.00253},     {"Galera", Block::disk_read, 1390, 0.0324},
                               {"KASK", Block::disk_read, 7600, 0.0290},         {"Galera+", Block::disk_write, 1200, 0.00474},
                               {"Galera", Block::disk_write, 270, 0.0066},       {"KASK", Block::disk_write, 1100, 0.0093}};

BlockParameters parameters_of(const Printed& printed) { return {printed.start_us * 1e-6, printed.per_byte_us * 1e-6, kUnit}; }

// Sizes of 1 B to 4 MB, 64 times as much for disks, on 2 to 64 processes; each combination twice.
std::vector<BlockSample> measure(const Printed& printed, double noise, double outliers, std::uint64_t seed) {
  synthetic::Random random(seed);
  const bool disk = printed.block == Block::disk_read || printed.block == Block::disk_write;
  std::vector<BlockSample> samples;
  for (const int processes : {2, 4, 8, 12, 16, 32, 48, 64})
    for (int i = 0; i < 40; ++i) {
      const double bytes = std::floor(random.log_uniform(1.0, 4.2e6)) * (disk ? 64.0 : 1.0);
      double seconds = block_time(printed.block, parameters_of(printed), processes, bytes) * (1.0 + noise * random.normal());
      if (random.chance(outliers)) seconds *= random.uniform(2.0, 8.0);
      samples.push_back({processes, bytes, seconds});
    }
  return samples;
}

} // namespace

TEST_CASE("Proficz16 Table 3: parameters to times to parameters") {
  for (const Printed& printed : kTable3) {
    INFO(printed.cluster << " " << name_of(printed.block));
    const auto fit = fit_block(printed.block, measure(printed, 0.0, 0.0, 1));
    REQUIRE(fit);
    CHECK(fit->start_s.value == Approx(printed.start_us * 1e-6).epsilon(1e-6));
    CHECK(fit->per_byte_s.value == Approx(printed.per_byte_us * 1e-6).epsilon(1e-6));
    if (printed.block != Block::barrier) CHECK(fit->unit_bytes == kUnit);
    CHECK(fit->r_squared == Approx(1.0));
    CHECK(fit->residual_95 < 1e-6);
    CHECK(fit->samples == 320);
  }
}

TEST_CASE("Proficz16 Table 3 through 5 % noise and 2 % outliers") {
  std::size_t inside = 0, all = 0;
  for (const Printed& printed : kTable3)
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      INFO(printed.cluster << " " << name_of(printed.block) << " seed " << seed);
      const auto fit = fit_block(printed.block, measure(printed, 0.05, 0.02, seed));
      REQUIRE(fit);
      CHECK(fit->per_byte_s.value == Approx(printed.per_byte_us * 1e-6).epsilon(0.03));
      CHECK(std::fabs(fit->start_s.value - printed.start_us * 1e-6) <=
            5.0 * fit->start_s.standard_error + 0.01 * std::fabs(printed.start_us * 1e-6));
      all += 2;
      inside += fit->start_s.interval.contains(printed.start_us * 1e-6) ? 1 : 0;
      inside += fit->per_byte_s.interval.contains(printed.per_byte_us * 1e-6) ? 1 : 0;
    }
  CHECK(static_cast<double>(inside) >= 0.9 * static_cast<double>(all));
}

TEST_CASE("the unit of data is found where it shows") {
  for (const double unit : {512.0, 4096.0}) {
    synthetic::Random random(4);
    std::vector<BlockSample> samples;
    const BlockParameters truth{4e-6, 1e-9, unit};
    for (int i = 0; i < 300; ++i) {
      const double bytes = std::floor(random.log_uniform(1.0, 1e5));
      samples.push_back({2, bytes, block_time(Block::point_to_point, truth, 2, bytes) * (1.0 + 0.01 * random.normal())});
    }
    const auto fit = fit_block(Block::point_to_point, samples);
    REQUIRE(fit);
    CHECK(fit->unit_bytes == unit);
  }
}

TEST_CASE("where no unit shows, the smallest is taken; a given one is kept") {
  std::vector<BlockSample> samples;
  for (int i = 1; i <= 20; ++i) samples.push_back({2, 65536.0 * i, 1e-6 + 1e-4 * i});
  const auto found = fit_block(Block::point_to_point, samples);
  REQUIRE(found);
  CHECK(found->unit_bytes == 1.0);
  BlockOptions options;
  options.unit_candidates_bytes = {2048.0};
  const auto given = fit_block(Block::point_to_point, samples, options);
  REQUIRE(given);
  CHECK(given->unit_bytes == 2048.0);
}

TEST_CASE("samples without a time by the fitted formula are counted") {
  // The formula meets the axis between the first two samples: one of them has no time by it.
  const auto fit =
      fit_block(Block::barrier, std::vector<BlockSample>{{1, 0, 1e-9}, {10, 0, 1e-5}, {100, 0, 3e-5}, {1000, 0, 5e-5}},
                {ErrorMeasure::absolute, 0.95, {}});
  REQUIRE(fit);
  CHECK(fit->start_s.value < 0.0);
  CHECK(fit->clamped == 1);
}

TEST_CASE("where times fall with the size they are taken not to grow: no formula has K below 0") {
  const std::vector<BlockSample> falls{{2, 1000, 4e-3}, {2, 100000, 3.9e-3}, {2, 1000000, 3.8e-3}, {2, 4000000, 3.7e-3}};
  const auto fit = fit_block(Block::disk_write, falls);
  REQUIRE(fit);
  CHECK(fit->per_byte_s.value == 0.0);
  CHECK(fit->per_byte_s.interval.low == 0.0);
  CHECK(fit->start_s.value > 3.7e-3);
  CHECK(fit->start_s.value < 4e-3);
}

TEST_CASE("the table looks as the paper's") {
  const auto fit = fit_block(Block::broadcast, measure(kTable3[3], 0.0, 0.0, 1));
  const auto barrier = fit_block(Block::barrier, measure(kTable3[15], 0.0, 0.0, 1));
  REQUIRE(fit);
  REQUIRE(barrier);
  CHECK(block_table(std::vector<BlockFit>{*fit, *barrier}) ==
        "Formula           R^2       T [us]     K [us/B] D_tu [B]  samples\n"
        "t_broadcast    1.0000          1.7      0.00188     2048      320\n"
        "t_bar          1.0000          1.4          7.5        -      320  (K in us)\n");
}

TEST_CASE("what a block fit cannot work with is said") {
  const auto message = [](Block block, const std::vector<BlockSample>& samples, const BlockOptions& options = {}) {
    const auto fit = fit_block(block, samples, options);
    return fit ? std::string() : fit.error().message;
  };
  const std::vector<BlockSample> same(5, {4, 100.0, 1e-6});
  CHECK_THAT(message(Block::broadcast, {{2, 1, 1}, {2, 2, 2}}), Contains("2 samples of broadcast are too few"));
  CHECK_THAT(message(Block::broadcast, same), Contains("do not vary in size or processes"));
  CHECK_THAT(message(Block::barrier, same), Contains("do not vary in processes"));
  CHECK_THAT(message(Block::disk_read, same), Contains("do not vary in size:"));
  CHECK_THAT(message(Block::gather, {{2, 1, 1}, {0, 2, 2}, {3, 2, 2}}), Contains("sample 2 of gather has 0 processes"));
  CHECK_THAT(message(Block::gather, {{2, 1, 1}, {2, -2, 2}, {3, 2, 2}}), Contains("sample 2 of gather has -2 bytes"));
  CHECK_THAT(message(Block::gather, {{2, 1, 1}, {2, 2, 0}, {3, 2, 2}}), Contains("sample 2 of gather took 0 seconds"));
  BlockOptions options;
  options.unit_candidates_bytes = {};
  CHECK_THAT(message(Block::gather, same, options), Contains("D_tu"));
}
