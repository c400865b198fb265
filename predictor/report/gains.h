// What would help most, as text and JSON: each thing with what it gains, the most first. Pure
// functions.
#pragma once

#include "predictor/base/estimate.h"
#include "predictor/report/json_text.h"
#include "predictor/scenario/gains.h"

#include <optional>
#include <string>
#include <vector>

namespace farcast::report {

struct Gain {
  scenario::Improvement improvement;
  double time_s = 0;                      // with it
  std::optional<base::Interval> ninety{}; // 90 % interval of the gain, seconds; holds it; unset: nobody knows
  // Whether it gains more than the next one of those that gain most first; unset: nobody knows, or
  // there is none.
  std::optional<bool> told_apart{};
  std::vector<double> member_s{}; // [member - 1] with it; empty: no ensemble was played
};

struct Gains { // of one point
  scenario::Point point;
  double time_s = 0; // as it is
  std::vector<Gain> gains;
  std::vector<double> member_s{}; // as it is
};

struct GainsTable {
  std::string program;
  int ranks = 0;
  double percent = 0;
  std::vector<Gains> points;
};

// Puts those that gain most first, with how sure that is, by the members: all things have the same
// draws.
void sort(Gains& gains);
std::string gains_text(const GainsTable& table);
Json gains_json(const GainsTable& table);

} // namespace farcast::report
