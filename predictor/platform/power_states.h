// The watts of a node in each state of its processor, as properties of hosts and clusters say them.
//
// wattage_per_state: "Idle:Epsilon:AllCores" of each state, separated by commas; "Idle:AllCores"
// stands for Idle:Idle:AllCores, as SimGrid 3.32 takes it. farcast:polling_watts,
// farcast:probing_watts, farcast:memory_watts: one figure for each state, or one, which holds for
// the state in use and in the others takes the same share of what computing adds. Polling without a
// figure takes the probing one, else the computing one, and polling_assumed says so; probing
// without a figure takes the polling one, else the computing one; memory-bound computing without a
// figure has none. Pure functions, any thread. Source of the terms: SimGrid 3.32's host_energy
// plugin; Heinrich17 eq. (1).
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"
#include "predictor/platform/properties.h"

#include <string>
#include <vector>

namespace farcast::platform {

struct WattProperties { // null: not given
  const Property* per_state = nullptr;
  const Property* polling = nullptr;
  const Property* probing = nullptr;
  const Property* memory = nullptr;
};

// Returns: [state]; empty where nothing is given. Appends to `warnings` what is odd about the state
// in use.
// Errors: name the place, what was found, what was expected; no watts for the state in use.
base::Result<std::vector<NodePower>> read_power_states(const WattProperties& given, int cores, std::size_t in_use,
                                                       std::vector<std::string>& warnings);

} // namespace farcast::platform
