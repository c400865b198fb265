// Two runs of a program beside each other on one platform: what became faster or slower, by region
// and call site.
//
// In: what was measured in both, and their predictions. Out: a comparison, and its text and JSON.
// Call sites of the two runs are one where file, function and MPI function agree and the function has as
// many of them in both, in the order of their lines (the code may have moved), else where the lines
// agree too; regions where both ends are. Pure functions.
#pragma once

#include "predictor/base/estimate.h"
#include "predictor/report/json_text.h"
#include "predictor/report/run_summary.h"
#include "predictor/scenario/members.h"
#include "predictor/sim/prediction.h"

#include <optional>
#include <string>
#include <vector>

namespace farcast::report {

struct ComparedRun {
  std::string file;
  const RunSummary* run = nullptr;
  const sim::Prediction* prediction = nullptr;
  const scenario::MemberValues* members = nullptr; // of the prediction; null, or empty: no ensemble was played
};

struct ComparedPart {
  std::string name;             // in the run that has it; of both: in the later one
  std::optional<double> before; // predicted seconds of all ranks; unset: it is not there
  std::optional<double> after;
  // 90 % interval of the change, seconds; holds it: by the members of both runs, else from the
  // spread of the region's measured visits, in which what one whole run has more than another is
  // not. Unset: unknown (calls; without members, regions with few visits).
  std::optional<base::Interval> ninety;

  [[nodiscard]] double change() const { return after.value_or(0) - before.value_or(0); }
  [[nodiscard]] bool within_noise() const { return ninety && ninety->low <= 0 && ninety->high >= 0; }
};

struct Comparison {
  ComparedRun before, after;
  std::vector<ComparedPart> regions; // those that change most first
  std::vector<ComparedPart> calls;
  // 90 % intervals of the change of the predicted time and energy, which hold it: by the members of
  // both, of which what was recorded, what whole runs compute more than others and chance on the
  // network are drawn apart, calibration and the model's error of messages alike. Unset: no
  // members.
  std::optional<base::Interval> ninety;
  std::optional<base::Interval> ninety_j;
  std::size_t members = 0; // that these rest on

  [[nodiscard]] double change() const { return (after.prediction->time - before.prediction->time).value(); }
  [[nodiscard]] bool within_noise() const { return ninety && ninety->low <= 0 && ninety->high >= 0; }
};

// Requires: both of one platform.
Comparison compare(const ComparedRun& before, const ComparedRun& after);

// `most`: rows of each table.
std::string compare_text(const Comparison& comparison, std::size_t most);
Json compare_json(const Comparison& comparison);

} // namespace farcast::report
