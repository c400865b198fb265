// Two runs of a program beside each other on one platform: what became faster or slower, by region
// and call site.
//
// In: what was measured in both, and their predictions. Out: a comparison, and its text and JSON.
// Call sites of the two runs are one where file, function and MPI function agree and the function has as
// many of them in both, in the order of their lines (the code may have moved), else where the lines
// agree too; regions where both ends are. Pure functions.
#pragma once

#include "predictor/report/json_text.h"
#include "predictor/report/run_summary.h"
#include "predictor/sim/prediction.h"

#include <optional>
#include <string>
#include <vector>

namespace farcast::report {

struct ComparedRun {
  std::string file;
  const RunSummary* run = nullptr;
  const sim::Prediction* prediction = nullptr;
};

struct ComparedPart {
  std::string name;             // in the run that has it; of both: in the later one
  std::optional<double> before; // predicted seconds of all ranks; unset: it is not there
  std::optional<double> after;
  // What the change may be without a reason: half of its 90 % interval, from the spread of the
  // region's measured visits; what one whole run has more than another is not in it. Unset: unknown
  // (calls; regions with few visits).
  std::optional<double> noise;

  [[nodiscard]] double change() const { return after.value_or(0) - before.value_or(0); }
  [[nodiscard]] bool within_noise() const { return noise && change() <= *noise && -change() <= *noise; }
};

struct Comparison {
  ComparedRun before, after;
  std::vector<ComparedPart> regions; // those that change most first
  std::vector<ComparedPart> calls;
  // What the change of the predicted time may be without a reason: half of its 90 % interval, from how
  // far recorded computation and chance on the network move each of them (sim::Confidence). Calibration and
  // the model of messages are the same for both. Unset: no ensemble told the sources apart.
  std::optional<double> noise;

  [[nodiscard]] double change() const { return (after.prediction->time - before.prediction->time).value(); }
  [[nodiscard]] bool within_noise() const { return noise && change() <= *noise && -change() <= *noise; }
};

// Requires: both of one platform.
Comparison compare(const ComparedRun& before, const ComparedRun& after);

// `most`: rows of each table.
std::string compare_text(const Comparison& comparison, std::size_t most);
Json compare_json(const Comparison& comparison);

} // namespace farcast::report
