// The what-if of balance: how fast the hosts of a placement are, and who gets how much of the work.
//
// Recording -> computation per rank; placed platform -> speed per rank; both and the factors of a
// division -> kinds of hosts with their shares.
#pragma once

#include "predictor/scenario/division.h"
#include "predictor/scenario/scenario.h"
#include "predictor/trace/recording.h"

#include <span>
#include <string>
#include <vector>

namespace farcast::scenario {

// What `--balance` plays: parts of the way from the recorded division (0) to that by speed (1).
std::vector<double> parts_to_play();

// Returns: [rank] what it computed in the recorded run; of all its calling threads.
std::vector<base::Seconds> computation_of(trace::Recording& recording);

// Returns: [rank] how fast its core computes (host/compute.h).
std::vector<double> speeds_of(const PlacedPlatform& placed, const sim::Options& options);

struct HostKind {          // hosts of one speed that have ranks
  std::string first, last; // names, in the platform's order
  int hosts = 0;
  int ranks = 0;
  double speed = 1.0;    // of a core
  double recorded = 0.0; // share of the computation as recorded; of all kinds together 1
  double share = 0.0;    // in the division
};

struct Balance {
  std::vector<HostKind> kinds; // the fastest first
  // How many times as fast computation alone would be in proportion to the speeds as in equal parts
  // (model/processors.h, without communication).
  double computation_gain = 1.0;
};

// `factors`: [rank]; empty: all 1. Requires: speeds and computation for each rank.
Balance balance_of(const PlacedPlatform& placed, std::span<const double> speeds, std::span<const base::Seconds> computation,
                   std::span<const double> factors);

} // namespace farcast::scenario
