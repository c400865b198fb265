// What the points of a what-if came to: one table, sorted by what is sought, and the same as CSV
// and JSON.
//
// Points with their time and energy -> text. Which point is the best, and which are on the front
// over time and energy, is model/energy_delay.h. A point that is impossible says why; one that was
// not played (interrupted) is counted. Pure functions.
#pragma once

#include "predictor/base/units.h"
#include "predictor/report/json_text.h"
#include "predictor/report/what_if_failures.h"
#include "predictor/report/why_best.h"
#include "predictor/scenario/balance.h"
#include "predictor/scenario/members.h"
#include "predictor/scenario/remark.h"
#include "predictor/scenario/sweep_store.h"
#include "predictor/scenario/what_if.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace farcast::report {

enum class Goal : std::uint8_t { time, energy, edp };
inline const char* name_of(Goal goal) { return goal == Goal::time ? "time" : goal == Goal::energy ? "energy" : "EDP"; }

struct PointFigures {
  base::Seconds time;
  std::optional<base::Joules> energy; // of the nodes; unset: the platform has no power figures
  int nodes = 0;
  bool complete = true;
  std::optional<ExpectedFigures> expected{}; // with failures, where they are asked for
  base::Joules links{0.0};                   // energy of those that have figures
  Parts time_parts{};                        // of a rank in the mean
  Parts energy_parts{};
  scenario::MemberValues members{};          // of time and energy; empty: no ensemble was played
  scenario::MemberValues expected_members{}; // of those with failures

  // What points are compared by.
  [[nodiscard]] base::Seconds judged_time() const { return expected ? expected->time : time; }
  [[nodiscard]] std::optional<base::Joules> judged_energy() const { return expected ? expected->energy : all_energy(); }
  [[nodiscard]] std::optional<base::Joules> all_energy() const { return energy ? std::optional(*energy + links) : energy; }
  [[nodiscard]] const scenario::MemberValues& judged_members() const { return expected ? expected_members : members; }
};
PointFigures figures_of(const scenario::SweepAnswer& answer);

struct PointOutcome {
  scenario::Point point;
  std::optional<PointFigures> figures; // unset: impossible, or not played
  std::string impossible;              // why
  scenario::Balance balance{};         // of its hosts, where a division is asked for
};

struct WhatIf {
  std::string program;
  int ranks = 0;
  Goal goal = Goal::time;
  std::vector<std::string> sites; // whose computation is sped up: file:line, as Point::speedups
  std::vector<PointOutcome> points;
  std::optional<Checkpointing> checkpointing{};                   // unset: failures are not asked for
  bool balanced = false;                                          // divisions of the work are asked for
  bool payloads_divided = false;                                  // with it
  bool even = false;                                              // that all ranks compute equally long is asked for
  std::map<scenario::Remark, std::vector<std::size_t>> remarks{}; // -> points that it concerns, ascending
  std::vector<std::string> run_cautions{};                        // of what was measured: no point is free of them
  std::vector<std::string> run_notes{};
  bool lacks_members = false; // an ensemble was to be played, and was interrupted

  [[nodiscard]] bool interrupted() const; // some were not played
};

// What points differ in.
using Coordinates =
    std::tuple<std::string, int, double, double, double, sim::WaitMode, sim::CollectivePolicy, std::vector<double>, double, bool>;
Coordinates coordinates(const scenario::Point& point);

// What the points are to each other; indices are those of WhatIf::points.
struct Judgement {
  std::vector<std::size_t> order; // of those with figures, the best for the goal first
  std::optional<std::size_t> best_time;
  std::optional<std::size_t> best_energy;
  std::optional<std::size_t> best_edp;
  std::vector<bool> front;            // over time and energy, of those that have both
  std::vector<std::string> varying;   // axes with several values
  std::vector<std::string> no_effect; // of these: points that differ in it alone take the same time and energy
  std::optional<std::size_t> base;    // what the others are compared with (what_if_sure.h)
  std::vector<bool> like_best;        // [point] not told apart from the best for the goal, which it is not itself
};
Judgement judge(const WhatIf& what);
// Returns: where the point stands on an axis of Judgement::varying, in words.
std::string coordinate(const WhatIf& what, const scenario::Point& point, const std::string& axis);

// Returns: the point on all axes of Judgement::varying, in words: "ppn 8, frequency 2.4 GHz".
std::string place_of(const WhatIf& what, const Judgement& judged, std::size_t point);
// Returns: why the best point for the goal is it, against the best of another kind, else the next;
// empty where there is one point only.
std::string why_best(const WhatIf& what, const Judgement& judged);

// `rows`: how many points the table may show; the best ones are always among them.
std::string what_if_text(const WhatIf& what, std::size_t rows);
std::string what_if_csv(const WhatIf& what);
Json what_if_json(const WhatIf& what);

} // namespace farcast::report
