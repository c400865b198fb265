#include "predictor/live/doubts.h"

#include "predictor/report/assumptions.h"

namespace farcast::live {

void add_doubts(sim::Prediction& prediction, const scenario::PlacedPlatform& placed, const region::SlowdownTable* slowdowns,
                const Faults& faults, const Played& played) {
  const auto add = [](auto& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); };
  add(prediction.assumptions, report::assumptions_of(placed.platform));
  add(prediction.assumptions, report::contention_assumption(placed.placement, slowdowns != nullptr));
  add(prediction.assumptions, report::threads_assumption(placed.placement, played.cpus_seen));
  prediction.network_measured = placed.platform.p2p.measured;
  prediction.faulty_files = faults(placed.platform, slowdowns, played.program, played.mpi_library);
}

} // namespace farcast::live
