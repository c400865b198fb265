// What the points of a program of blocks come to: one table, sorted by what is sought, and the same
// as CSV and JSON. Pure functions.
#pragma once

#include "predictor/report/what_if.h"
#include "predictor/scenario/block_program.h"

#include <optional>
#include <string>
#include <vector>

namespace farcast::report {

struct WhatIfBlocks {
  std::string name; // of its file
  model::BlockProgram program;
  std::vector<std::string> labels; // of groups whose number of processes is an axis, as BlockPoint::processes
  Goal goal = Goal::time;
  std::vector<scenario::BlockPoint> points;
};

struct BlockRow {
  const scenario::BlockPoint* point = nullptr;
  std::vector<std::string> best; // in what: time, energy, EDP
  bool front = false;
};
// Returns: the points that have a run, the best for the goal first.
std::vector<BlockRow> block_rows(const WhatIfBlocks& what);

// `rows`: how many points the table may show.
std::string blocks_text(const WhatIfBlocks& what, std::size_t rows);
std::string blocks_csv(const WhatIfBlocks& what);
Json blocks_json(const WhatIfBlocks& what);

} // namespace farcast::report
