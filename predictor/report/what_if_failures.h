// What the points of a what-if come to on nodes that fail: the odds of no failure, the best interval
// between checkpoints, and the mean time and energy with them.
//
// A point's figures without failures, its nodes, what checkpoints cost -> expected figures, as
// columns of the table, of CSV and as JSON. The formulas are model/failures.h and
// model/checkpoints.h. While a run computes its nodes draw its average power; while it writes or
// restarts they draw what they do with no core active. Pure functions.
#pragma once

#include "predictor/base/units.h"
#include "predictor/report/json_text.h"
#include "predictor/scenario/failures.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace farcast::report {

struct Checkpointing {                      // what is asked
  base::Seconds writing;                    // of one checkpoint, above 0
  base::Seconds restart;                    // after a failure
  std::optional<base::Seconds> interval;    // computed between two, above 0; unset: Daly's best one
  std::optional<base::Hertz> node_failures; // of each node; unset: as the platform says
};

struct ExpectedFigures {              // means over all courses of the run
  base::Hertz failures;               // of all its nodes
  double success = 1.0;               // the odds that none of them fails during the run
  base::Seconds best_interval;        // Daly's; infinite without failures
  base::Seconds time;                 // infinite: the run never ends
  std::optional<base::Joules> energy; // unset: no power figures; infinite: the run never ends
  base::Seconds time_without;         // without checkpoints, from the start after each failure
};

// `time`, `energy`: of the run without failures and checkpoints.
ExpectedFigures expected_figures(base::Seconds time, std::optional<base::Joules> energy, const scenario::UsedNodes& nodes,
                                 const Checkpointing& asked);

std::vector<std::string> expected_columns();                             // of the table
std::vector<std::string> expected_cells(const ExpectedFigures& figures); // as many
// What the columns mean, for below the table.
std::string expected_legend(const Checkpointing& asked);
// Of so many points that are quicker without checkpoints.
std::string unpaid_sentence(std::size_t points, std::size_t of);
// With a comma in front; of null as many empty ones.
std::string expected_csv_columns();
std::string expected_csv_cells(const ExpectedFigures* figures);
Json expected_json(const ExpectedFigures& figures);
Json checkpointing_json(const Checkpointing& asked);

} // namespace farcast::report
