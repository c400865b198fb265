// What the points of a stencil model come to: one table by scenario, sorted by what is sought, and
// the same as CSV and JSON.
//
// Points -> text. The best of each kind and the front over time and energy are those of a point's
// own scenario: virtual machines are not chosen for their speed. Pure functions.
#pragma once

#include "predictor/report/what_if.h"
#include "predictor/scenario/stencil.h"

#include <string>
#include <vector>

namespace farcast::report {

struct WhatIfStencil {
  std::string name; // of its file
  model::SpmdProgram program;
  Goal goal = Goal::time;
  bool ideal = false; // each point has the ideal supertile of its frequency
  std::vector<scenario::StencilPoint> points;
};

struct StencilRow {
  const scenario::StencilPoint* point = nullptr;
  std::vector<std::string> best; // in what: time, energy, EDP
  bool front = false;
};
// Returns: scenarios in the order of their first points, the best for the goal first in each.
std::vector<StencilRow> stencil_rows(const WhatIfStencil& what);

// `rows`: how many points of a scenario the table may show.
std::string stencil_text(const WhatIfStencil& what, std::size_t rows);
std::string stencil_csv(const WhatIfStencil& what);
Json stencil_json(const WhatIfStencil& what);

} // namespace farcast::report
