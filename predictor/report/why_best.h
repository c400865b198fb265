// Why a point of a what-if is the best: one sentence, from what its time and its energy are spent on,
// against another point.
//
// Two spendings -> text, JSON. Pure functions.
#pragma once

#include "predictor/base/units.h"
#include "predictor/energy/energy_parts.h"
#include "predictor/report/json_text.h"
#include "predictor/sim/prediction.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farcast::report {

using Parts = std::vector<std::pair<std::string, double>>; // name in words, seconds or joules

struct Spending {
  std::string point; // where it stands on the axes, in words
  base::Seconds time;
  std::optional<base::Joules> energy;
  Parts time_parts; // of a rank in the mean: together `time`
  Parts energy_parts;
};

// Returns: computing, messages, waiting, other. `spent`: [activity] of a rank in the mean.
Parts time_parts(const std::array<base::Seconds, sim::kActivities>& spent);
// Returns: idle and static power, computing, polling, probing, links.
Parts energy_parts(const energy::EnergyParts& parts, base::Joules links);

// "ppn 8 is best in EDP: against ppn 1, best in time, it takes 1.15 times as long (messages +4.1 of
// +5.0 ms) and 0.26 times the energy (idle and static power -38.2 of -40.1 J); of its energy 62 % is
// idle and static power, 30 % computing". `goal`, `other_is`: in words. With `by_time` the shares are
// those of the ranks' time.
std::string why_best(std::string_view goal, bool by_time, const Spending& best, const Spending& other, std::string_view other_is);

Json parts_json(const Parts& parts, std::string_view unit); // {"computing_s": ...}

} // namespace farcast::report
