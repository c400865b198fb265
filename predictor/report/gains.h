// What would help most, as text and JSON: each thing with what it gains, the most first. Pure
// functions.
#pragma once

#include "predictor/report/json_text.h"
#include "predictor/scenario/gains.h"

#include <string>
#include <vector>

namespace farcast::report {

struct Gain {
  scenario::Improvement improvement;
  double time_s = 0; // with it
};

struct Gains { // of one point
  scenario::Point point;
  double time_s = 0; // as it is
  std::vector<Gain> gains;
};

struct GainsTable {
  std::string program;
  int ranks = 0;
  double percent = 0;
  std::vector<Gains> points;
};

// Puts those that gain most first.
void sort(Gains& gains);
std::string gains_text(const GainsTable& table);
Json gains_json(const GainsTable& table);

} // namespace farcast::report
