// File accesses: bytes that flow to and from the disk that has them (platform.h: storage_of). Where
// no disk is known, calls take their measured time and what they start is complete.
// With --network blocks the platform's formulas stand for the disk.
//
// Threads: none; one owner.
#pragma once

#include "predictor/sim/flows.h"
#include "predictor/sim/requests.h"
#include "predictor/sim/setting.h"

#include <cstdint>

namespace farcast::sim {

class Files {
public:
  Files(const Setting& setting, Scheduler& scheduler, Requests& requests, Flows& flows)
      : setting_(setting), scheduler_(scheduler), requests_(requests), flows_(flows) {}

  // A strand enters its operation's call.
  void access(std::uint32_t strand);
  // Returns: whether there were accesses for which no disk is known.
  [[nodiscard]] bool as_measured() const { return as_measured_; }

private:
  const Setting& setting_;
  Scheduler& scheduler_;
  Requests& requests_;
  Flows& flows_;
  bool as_measured_ = false;
};

} // namespace farcast::sim
