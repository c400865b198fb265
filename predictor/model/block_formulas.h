// The block formulas of Proficz16 (Table 1) for communication and disk: times from parameters.
//
//   t = T + K * ceil(d / D_tu) * D_tu * g(P)      barrier: t = T + K * log(P)
//   g = 1 (point to point, disk), log P (broadcast), log(P) / P (scatter, gather), P (all to all)
//   d: the data; of scatter and gather all that the root has, of all to all what each rank has for
//   each other
// 1. The paper leaves the base of its logarithm open. We take 10, to which Table 3 points: on two
//    nodes a collective is one message, so K * log 2 should be K_p2p; its nine K of broadcast,
//    scatter and gather give log 2 = 0.19 (median), nearer to log10's 0.30 than to 0.69 or 1, and a
//    barrier on two nodes of Galera+ is then 3.66 us beside T_p2p = 3.7 us.
// 2. T may be negative (Table 3 has such); a time never is: it is clamped at 0.
// 3. Units are SI here; the paper's tables are in microseconds.
// Calibration fits the parameters (calib/fit/block_formulas.h), predictions use them. Threads: pure
// functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace farcast::model {

enum class Block { point_to_point, broadcast, scatter, gather, all_to_all, barrier, disk_read, disk_write };
inline constexpr std::size_t kBlockCount = 8;
inline constexpr Block kBlocks[kBlockCount] = {Block::point_to_point, Block::broadcast, Block::scatter,   Block::gather,
                                               Block::all_to_all,     Block::barrier,   Block::disk_read, Block::disk_write};

// Returns: the paper's subscript: "p2p", "broadcast", "scat", "gather", "a2a", "bar", "rdisk", "wdisk".
std::string_view name_of(Block block);

bool has_size(Block block);      // whether its time depends on d
bool has_processes(Block block); // whether on P

struct BlockParameters {
  double start_s = 0.0;       // T
  double per_byte_s = 0.0;    // K; for the barrier seconds per log10(P)
  double unit_bytes = 2048.0; // D_tu > 0: data goes in units of it; unused by the barrier
};

inline constexpr std::string_view kBlockText = "T:K or T:K:D in seconds, seconds per byte and bytes above 0";
// Returns: the parameters that the text gives; empty unless it is kBlockText with finite figures and
// K not below 0.
std::optional<BlockParameters> parse_block(std::string_view text);

// Returns: what K is multiplied with. Requires: processes >= 1, bytes >= 0.
double block_weight(Block block, double unit_bytes, int processes, double bytes);

// Returns: seconds >= 0. Requires: as block_weight.
double block_time(Block block, const BlockParameters& parameters, int processes, double bytes);

} // namespace farcast::model
