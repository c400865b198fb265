// Loads that hold cores of this node in one state each: what `calibrate power` measures.
//
// A workload on n cores for some seconds; each core is kept by a process of its own that dies with
// this one. compute and memory are loops of ours; polling and probing are the load probe of an MPI
// library. Threads: one.
#pragma once

#include "predictor/base/result.h"

#include <string>
#include <vector>

namespace farcast::instruments {

// Keeps `workload` on the first `count` of `cores` while `wait` runs, from when all of them are at it.
// Errors: a workload that cannot be made here, or that ended by itself.
class CoreLoads {
public:
  CoreLoads() = default;
  CoreLoads(const CoreLoads&) = delete;
  CoreLoads& operator=(const CoreLoads&) = delete;
  ~CoreLoads();
  // `probe`: path of the load probe, for polling and probing.
  base::Result<void> start(const std::string& workload, int count, const std::vector<int>& cores, const std::string& probe);
  // Returns: whether all of them still run.
  [[nodiscard]] bool running() const;
  void stop();

private:
  std::vector<int> children_; // process ids
};

} // namespace farcast::instruments
