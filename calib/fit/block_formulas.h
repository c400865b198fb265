// The block formulas of Proficz16 (predictor/model/block_formulas.h): parameters from times.
//
// Samples (P, bytes, seconds) -> T, K, D_tu with R^2 (squared Pearson, as the paper's Table 2); a
// few interrupted calls move nothing (robust.h). The base of the logarithm only scales K: residuals
// and R^2 are the same whichever. Threads: pure functions.
#pragma once

#include "calib/fit/robust.h"
#include "predictor/base/result.h"
#include "predictor/model/block_formulas.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace farcast::fit {

using model::Block;
using model::block_time;
using model::BlockParameters;
using model::kBlocks;
using model::name_of;

struct BlockSample {
  int processes = 2;  // P >= 1; unused by point to point and disk
  double bytes = 0.0; // d; unused by the barrier
  double seconds = 0.0;
};

struct BlockOptions {
  ErrorMeasure measure = ErrorMeasure::relative; // the paper uses both: shares of the time for short messages
  double confidence = 0.95;
  // D_tu: of these the one with the least mean error; the smallest of those equally good (within
  // 0.1 %). One entry: given.
  std::vector<double> unit_candidates_bytes = {1, 64, 256, 512, 1024, 1500, 2048, 4096, 8192, 16384, 32768, 65536};
};

struct BlockFit {
  Block block = Block::point_to_point;
  Estimate start_s;        // T
  Estimate per_byte_s;     // K
  double unit_bytes = 0.0; // D_tu
  double r_squared = 0.0;
  double residual_50 = 0.0, residual_95 = 0.0; // percentiles of |measured - fitted| / measured
  std::size_t samples = 0;
  std::size_t clamped = 0; // samples whose time by the formula would be negative

  [[nodiscard]] BlockParameters parameters() const { return {start_s.value, per_byte_s.value, unit_bytes}; }
};

// Errors: fewer than three samples, a time that is not positive, nothing that varies (one size and
// one P), values out of range.
base::Result<BlockFit> fit_block(Block block, std::span<const BlockSample> samples, const BlockOptions& options = {});

// Returns: the fits as the paper prints them: a line for each formula with R^2 (Table 2), T, K
// (Table 3, microseconds), D_tu and the number of samples. Ends in a newline.
std::string block_table(std::span<const BlockFit> fits);

} // namespace farcast::fit
