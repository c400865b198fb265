// A network calibration as a platform file: SimGrid XML that farcast reads (and SimGrid, but for
// our properties).
//
// NetworkCalibration and Provenance -> text. One <cluster> whose links are those between nodes;
// where ranks of one node were measured too, its loopback is them, and without them there is none.
// A calibration within one node only gives a cluster of one node by default, its links like its
// loopback. Messages of a rank to itself have their own figure. What either message model asks for
// is there. Factors, overheads, eager limit and polls stand in <config>, the ordered channel's
// parameters in farcast: properties, their standard errors in farcast:uncertainty: properties
// (predictor/platform/uncertainty.h), what was measured and how well in farcast:provenance:
// properties. Figures of the nodes (speed, power) are not measured here. Threads: pure functions.
#pragma once

#include "calib/study/network_calibration.h"
#include "calib/study/provenance.h"

#include <string>

namespace farcast::study {

struct PlatformFileOptions {
  int nodes = 0;              // 0: as many as took part
  double socket_buffer = 0.0; // what a sender may leave to its kernel; 0: unknown
};

std::string platform_file(const NetworkCalibration& calibration, const Provenance& provenance,
                          const PlatformFileOptions& options);

} // namespace farcast::study
