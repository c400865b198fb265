// What `farcast whatif --model stencil` asks: supertiles, numbers of cores, frequencies and
// scenarios that multiply.
//
// StencilModel, StencilAxes -> points with their figures, in the order scenario, frequency, size.
// Pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/scenario/stencil_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace farcast::scenario {

struct StencilAxes {
  std::vector<base::Hertz> frequencies; // empty: those of the file
  std::vector<double> tiles;            // K; with `cores` empty too: the ideal one of eq. (7)
  std::vector<double> cores;            // each has a K of its own: M / cores^(1/n)
};

struct StencilPoint {
  std::string scenario;
  model::SpmdRun run;
  model::SpmdIteration iteration; // of one core
  double nodes = 0;               // with all cores of each in use, but for the last one's
  bool grid_is_smaller = false;   // than the ideal supertile: one core has it all
};

// Numbers above 0, separated by commas, each once. Errors: "found ..., expected ..." without the
// option's name.
base::Result<std::vector<double>> parse_numbers(std::string_view text);

// Errors: no frequency, a K beyond the grid, more cores than tiles, a power below 0; too many points.
base::Result<std::vector<StencilPoint>> stencil_points(const StencilModel& stencil, const StencilAxes& axes);

} // namespace farcast::scenario
