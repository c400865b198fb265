// What a prediction is about. Every part of the engine sees it; none of them changes it, and it
// outlives them all.
#pragma once

#include "predictor/sim/observer.h"
#include "predictor/sim/predict.h"

namespace farcast::sim {

struct Causes; // sim/causes.h

struct Setting {
  const platform::Platform& platform;
  const platform::Placement& placement;
  const Options& options;
  int ranks;
  Observer* observer;       // null: nobody watches
  Causes* causes = nullptr; // null: nobody asked for bottlenecks

  [[nodiscard]] platform::HostId host_of(std::uint32_t rank) const { return placement.host_of[rank]; }
};

} // namespace farcast::sim
