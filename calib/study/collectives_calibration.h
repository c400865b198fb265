// What the collectives probe measured, as the block formulas of Proficz16, and the file that holds
// them.
//
// ProbeOutput -> a BlockFit per operation that was measured; what could not be fitted is a note.
// The file is JSON:
//   {"farcast_calibration": "collectives", "version": 1, "provenance": {NAME: TEXT, ...}, "notes":
//   [TEXT, ...],
//    "blocks": [{"block": "p2p", "T_s", "T_low_s", "T_high_s", "K_s_per_byte", "K_low_s_per_byte",
//    "K_high_s_per_byte", "D_tu_bytes",
//                "r_squared", "residual_50", "residual_95", "samples", "clamped"}, ...]}
// with times in seconds; K of the barrier is seconds per log10(P). Sizes d: p2p, broadcast, disk:
// the data; scatter, gather: all data at the root; all to all: what each rank has for each other.
// Threads: pure functions.
#pragma once

#include "calib/fit/block_formulas.h"
#include "calib/study/probe_output.h"
#include "calib/study/provenance.h"

#include <string>
#include <vector>

namespace farcast::study {

struct CollectivesCalibration {
  std::vector<fit::BlockFit> blocks; // in the order of fit::kBlocks
  std::string mpi;
  int ranks = 2;
  int hosts = 1;
  std::vector<std::string> notes;
};

// Errors: nothing could be fitted.
base::Result<CollectivesCalibration> calibrate_collectives(const ProbeOutput& output);
std::string collectives_file(const CollectivesCalibration& calibration, const Provenance& provenance);

} // namespace farcast::study
