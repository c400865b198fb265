// The block formulas of Proficz16 (Table 1) for communication and disk: times from parameters, and parameters from times.
//
//   t = T + K * ceil(d / D_tu) * D_tu * g(P)      barrier: t = T + K * log(P)
//   g = 1 (point to point, disk), log P (broadcast), log(P) / P (scatter, gather), P (all to all)
// 1. The paper leaves the base of its logarithm open. The base only scales K: times, residuals and R^2 are the same whichever.
//    We take 10, to which Table 3 points: on two nodes a collective is one message, so K * log 2 should be K_p2p; its nine K of
//    broadcast, scatter and gather give log 2 = 0.19 (median), nearer to log10's 0.30 than to 0.69 or 1, and a barrier on two
//    nodes of Galera+ is then 3.66 us beside T_p2p = 3.7 us.
// 2. T may be negative (Table 3 has such); a time never is: it is clamped at 0.
// 3. Units are SI here; the paper's tables are in microseconds.
// Samples (P, bytes, seconds) -> T, K, D_tu with R^2 (squared Pearson, as the paper's Table 2); a few interrupted calls move
// nothing (robust.h). Threads: pure functions.
#pragma once

#include "calib/fit/robust.h"
#include "predictor/base/result.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::fit {

enum class Block { point_to_point, broadcast, scatter, gather, all_to_all, barrier, disk_read, disk_write };
inline constexpr Block kBlocks[] = {Block::point_to_point, Block::broadcast, Block::scatter,   Block::gather,
                                    Block::all_to_all,     Block::barrier,   Block::disk_read, Block::disk_write};

// Returns: the paper's subscript: "p2p", "broadcast", "scat", "gather", "a2a", "bar", "rdisk", "wdisk".
std::string_view name_of(Block block);

struct BlockParameters {
  double start_s = 0.0;       // T
  double per_byte_s = 0.0;    // K; for the barrier seconds per log10(P)
  double unit_bytes = 2048.0; // D_tu > 0: data goes in units of it; unused by the barrier
};

struct BlockSample {
  int processes = 2;  // P >= 1; unused by point to point and disk
  double bytes = 0.0; // d; unused by the barrier
  double seconds = 0.0;
};

// Returns: seconds >= 0. Requires: processes >= 1, bytes >= 0.
double block_time(Block block, const BlockParameters& parameters, int processes, double bytes);

struct BlockOptions {
  ErrorMeasure measure = ErrorMeasure::relative; // the paper uses both: shares of the time for short messages
  double confidence = 0.95;
  // D_tu: of these the one with the least mean error; the smallest of those equally good (within 0.1 %). One entry: given.
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

// Errors: fewer than three samples, a time that is not positive, nothing that varies (one size and one P), values out of range.
base::Result<BlockFit> fit_block(Block block, std::span<const BlockSample> samples, const BlockOptions& options = {});

// Returns: the fits as the paper prints them: a line for each formula with R^2 (Table 2), T, K (Table 3, microseconds), D_tu and
// the number of samples. Ends in a newline.
std::string block_table(std::span<const BlockFit> fits);

} // namespace farcast::fit
