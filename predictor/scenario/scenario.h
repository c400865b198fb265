// One question about a run: on which platform, placed how, played by which rules.
//
// Plain data; scenarios of one platform share it. Threads: read by any.
#pragma once

#include "predictor/platform/placement.h"
#include "predictor/platform/platform.h"
#include "predictor/region/speedups.h"
#include "predictor/scenario/division.h"
#include "predictor/sim/predict.h"

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace farcast::scenario {

struct PlacedPlatform {
  platform::Platform platform;
  platform::Placement placement;
};

// One of an ensemble: the scenario with other draws of what is not known (members.h).
struct Member {
  std::uint64_t number = 0; // from 1; 0: the scenario itself
  bool computation = true;  // drawn, or as recorded
  bool calibration = true;  // drawn, or as the platform says
};

struct Scenario {
  std::shared_ptr<const PlacedPlatform> where;
  sim::Options options;                    // its slowdowns are those of the source
  std::vector<region::Speedup> speedups{}; // of regions of a recorded run
  std::set<trace::Frame> memory_bound{};   // computation that begins or ends at these call sites
  Division division{};                     // of its work between the ranks
  Member member{};
  sim::Observer* observer = nullptr; // of the first realisation that is played; not owned
};

} // namespace farcast::scenario
