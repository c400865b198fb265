// A recorded run whose work is divided otherwise between its ranks, for hosts of unequal speed
// (Soares16).
//
// Division: factors against what each rank computed when it was recorded. Divisions of the what-if
// `--balance` lie between the recorded one and the one in proportion to the hosts' speeds; all keep
// the sum of the computation over the ranks. Pure functions.
#pragma once

#include "predictor/base/units.h"
#include "predictor/trace/operation.h"

#include <span>
#include <vector>

namespace farcast::scenario {

struct Division {
  std::vector<double> computation{}; // [rank] factors above 0; empty: as recorded
  bool payloads = false;             // the payloads of a rank's point-to-point sends likewise

  [[nodiscard]] bool as_recorded() const { return computation.empty(); }
};

// Returns: [rank] factors: 1 + part (R_r C / sum(R_i C_i) - 1), C: sum of C_i; empty where all are
// 1. `computation`: [rank] C_i, of the recorded run; `speeds`: [rank] R_i, of its core; `part`: 0:
// as recorded, 1: in proportion to the speeds. Requires: as many of both; speeds above 0; part from
// 0 to 1.
std::vector<double> factors_of(std::span<const base::Seconds> computation, std::span<const double> speeds, double part);

// Returns: [rank] factors with which all ranks compute equally long on cores of these speeds, and
// together as much as recorded; ranks that compute nothing are left alone; empty where all are 1.
// Requires: as factors_of().
std::vector<double> even_factors(std::span<const base::Seconds> computation, std::span<const double> speeds);

// Makes of a rank's operation as recorded what it is in the division: its computation, and the
// payloads of its sends where they are divided. A receive's posted size follows the factor of the
// rank that sent to it, so that no message is longer than its receive. Payloads stay whole bytes.
// Collectives, one-sided accesses and files keep their sizes. Requires: the division is not as
// recorded.
void divide(const Division& division, int rank, trace::Operation& operation);

} // namespace farcast::scenario
