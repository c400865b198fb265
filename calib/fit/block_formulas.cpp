#include "calib/fit/block_formulas.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace farcast::fit {

namespace {

constexpr double kMicro = 1e-6;
constexpr double kBetter = 0.999;

using model::has_processes;
using model::has_size;

base::Result<void> check_sample(Block block, const BlockSample& sample, std::size_t index) {
  if (!(sample.seconds > 0.0 && std::isfinite(sample.seconds)))
    return base::fail(
        fmt::format("sample {} of {} took {} seconds, which is not positive", index + 1, name_of(block), sample.seconds));
  if (has_processes(block) && sample.processes < 1)
    return base::fail(
        fmt::format("sample {} of {} has {} processes, at least 1 is needed", index + 1, name_of(block), sample.processes));
  if (has_size(block) && !(sample.bytes >= 0.0 && std::isfinite(sample.bytes)))
    return base::fail(
        fmt::format("sample {} of {} has {} bytes, which is negative or not finite", index + 1, name_of(block), sample.bytes));
  return {};
}

struct Candidate {
  double unit_bytes = 0.0;
  RobustFit robust;
};

base::Result<Candidate> fit_with_unit(Block block, std::span<const BlockSample> samples, double unit_bytes,
                                      const BlockOptions& options) {
  Matrix regressors(samples.size(), 2);
  std::vector<double> observed;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    regressors(i, 0) = 1.0;
    regressors(i, 1) = model::block_weight(block, unit_bytes, samples[i].processes, samples[i].bytes);
    observed.push_back(samples[i].seconds);
  }
  auto robust = fit_robust(regressors, observed, options.measure, options.confidence);
  if (!robust) return tl::unexpected(robust.error());
  return Candidate{unit_bytes, std::move(*robust)};
}

base::Result<Estimate> fit_level(std::span<const BlockSample> samples, const BlockOptions& options) {
  Matrix ones(samples.size(), 1);
  std::vector<double> observed;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ones(i, 0) = 1.0;
    observed.push_back(samples[i].seconds);
  }
  auto robust = fit_robust(ones, observed, options.measure, options.confidence);
  if (!robust) return tl::unexpected(robust.error());
  return robust->fit.coefficient[0];
}

} // namespace

base::Result<BlockFit> fit_block(Block block, std::span<const BlockSample> samples, const BlockOptions& options) {
  if (samples.size() < 3)
    return base::fail(fmt::format("{} samples of {} are too few, at least 3 are needed", samples.size(), name_of(block)));
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (const auto fine = check_sample(block, samples[i], i); !fine) return tl::unexpected(fine.error());
  std::vector<double> units = has_size(block) ? options.unit_candidates_bytes : std::vector<double>{1.0};
  std::sort(units.begin(), units.end());
  if (units.empty() || !(units.front() > 0.0)) return base::fail("units of data (D_tu) must be above 0, and there must be one");
  std::optional<Candidate> best;
  for (const double unit : units) {
    auto candidate = fit_with_unit(block, samples, unit, options);
    if (!candidate) continue; // a unit above all sizes leaves nothing that varies
    if (!best || candidate->robust.mean_error < kBetter * best->robust.mean_error) best = std::move(*candidate);
  }
  if (!best)
    return base::fail(fmt::format("the samples of {} do not vary in {}: T and K cannot be told apart", name_of(block),
                                  has_size(block) ? (has_processes(block) ? "size or processes" : "size") : "processes"));

  BlockFit answer;
  answer.block = block;
  answer.start_s = best->robust.fit.coefficient[0];
  answer.per_byte_s = best->robust.fit.coefficient[1];
  if (answer.per_byte_s.value < 0) { // no time falls with the size: it does not grow, as far as was seen
    const auto level = fit_level(samples, options);
    if (!level) return tl::unexpected(level.error());
    answer.start_s = *level;
    answer.per_byte_s = {0, 0, {0, std::max(0.0, answer.per_byte_s.interval.high)}};
  }
  answer.unit_bytes = best->unit_bytes;
  answer.samples = samples.size();
  std::vector<double> measured, fitted, residuals;
  for (const BlockSample& sample : samples) {
    measured.push_back(sample.seconds);
    fitted.push_back(block_time(block, answer.parameters(), sample.processes, sample.bytes));
    residuals.push_back(std::fabs(fitted.back() - sample.seconds) / sample.seconds);
    if (fitted.back() == 0.0) ++answer.clamped;
  }
  answer.r_squared = pearson_squared(measured, fitted);
  answer.residual_50 = percentile(residuals, 50.0);
  answer.residual_95 = percentile(residuals, 95.0);
  return answer;
}

std::string block_table(std::span<const BlockFit> fits) {
  std::string text =
      fmt::format("{:<12} {:>8} {:>12} {:>12} {:>8} {:>8}\n", "Formula", "R^2", "T [us]", "K [us/B]", "D_tu [B]", "samples");
  for (const BlockFit& fit : fits) {
    const bool barrier = fit.block == Block::barrier;
    fmt::format_to(std::back_inserter(text), "{:<12} {:>8.4f} {:>12.4g} {:>12.4g} {:>8} {:>8}{}\n",
                   fmt::format("t_{}", name_of(fit.block)), fit.r_squared, fit.start_s.value / kMicro,
                   fit.per_byte_s.value / kMicro, barrier ? std::string("-") : fmt::format("{:g}", fit.unit_bytes), fit.samples,
                   barrier ? "  (K in us)" : "");
  }
  return text;
}

} // namespace farcast::fit
