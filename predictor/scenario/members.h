// The members of an ensemble: a scenario with other draws of what is not known, and what their times
// and joules say of how far the prediction may be off.
//
// The 90 % interval of a time is of a single run that is not the recorded one: were the program run
// on that cluster again and again, 9 of 10 runs would take a time within it (measured as
// sim::Prediction::time). So what chance was in the recorded run counts, and what will be in the
// other one; their difference has the sum of both variances. Where two recordings are compared, it
// is of the mean of such runs (Deviations::of_the_mean): each has the chance of its own recording
// alone, and what a whole run computes more than another (of_one_recording).
//
// Three things are not known, and drawn: how long the recorded regions take in another run
// (region_spread.h), the figures of a calibrated platform (platform/uncertainty.h), and what the
// transport leaves to chance (sim/chance.h). And there is what the models themselves get wrong, as
// in programs that were predicted and then measured (Kennedy and O'Hagan 2001: the model's
// discrepancy beside its parameters): a share of the time in messages and waiting, a larger one of
// programs whose course hangs on timing and is played as it was recorded, and a share of the
// computation, which is not there what it was here. Draws are common: the same member has the
// same ones on all platforms and in all what-ifs. The prediction itself stays what it is;
// deviations of members from their mean are put around it (base/estimate.h). What is wrong with
// computation is one draw for all points, and so is what recorded outcomes do. What models of
// messages get wrong is one draw for all points on one network, nearly the same where links are a
// little faster or slower, and another one where they are twice as fast: so the errors of programs
// hang together, those that were measured on networks with links up to 1.7 times as fast as those
// of others by 0.5 to 0.9, on networks farther apart by -0.2 to 0.9 (calib/VALIDATION.md). Pure
// functions, any thread.
#pragma once

#include "predictor/scenario/scenario.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace farcast::scenario {

// Which network a scenario has, among those that differ in nothing but how fast all links are.
struct NetworkPlace {
  std::uint64_t number = 0; // of the model, the placement and how the links differ among themselves
  double bandwidth = 0;     // of the links: the mean of the logarithms, in octaves
  double latency = 0;       // likewise
};

// What the models get wrong: standard errors.
struct ModelError {
  double messages = 0;         // of the time in messages and waiting
  double computation = 0;      // of the computation
  NetworkPlace network{};      // the same draws for messages on the same one
  std::uint64_t recording = 0; // and for computation of the same one
  double outcomes = 0;         // of the time in messages and waiting, besides: the same draws everywhere
};
// By whether the model is the one that calib/VALIDATION.md judges; the number tells links,
// placement and model apart.
ModelError model_error_of(const Scenario& scenario);
// The error of computation is how far that of one run was from that of another, recorded one
// (calib/VALIDATION.md): of two recordings that are compared, each has half of the variance, by a
// draw of its own.
ModelError of_one_recording(ModelError error, std::uint64_t recording);

struct MembersPlan {
  std::size_t count = 0; // of members that have all draws; 0: no ensemble
  std::size_t apart = 0; // of members in which one thing alone is drawn, for each of two
  bool computation = false;
  bool calibration = false;
  bool outcomes_as_recorded = false; // that hang on timing; there are such
  ModelError model{};
  bool network_known = false; // the platform says how sure its network's figures are
  bool watts_known = false;   // and its watts
};
// Returns: what of the plan holds for one scenario.
MembersPlan plan_for(const Scenario& scenario, MembersPlan plan);

inline constexpr std::size_t kUsualMembers = 40;
inline constexpr double kPredictionEvents = 3e7; // of the engine, for all members: at most some 10 s

// Standard errors, by calib/VALIDATION.md ("How sure"). Of the time in messages and waiting:
inline constexpr double kChannelError = 0.0225; // of Open MPI's ordered channels over TCP
inline constexpr double kFlowError = 0.3;       // of SimGrid's flows; of what nobody has checked no less
// Likewise, beside these: of programs whose course hangs on timing and is played as recorded.
inline constexpr double kOutcomeError = 0.04;
// Of computation, played as recorded on cores of the same kind: two thirds of programs that compute
// were off by less.
inline constexpr double kComputationError = 0.017;
// Whole programs over TCP that SimGrid's flows predicted, and that were measured
// (calib/VALIDATION.md): errors of the time.
struct CheckedFlows {
  int programs;
  double median;
  double worst;
};
inline constexpr CheckedFlows kCheckedFlows{67, 0.11, 0.49};

// Returns: what can be drawn, as often as it may cost. `asked`: how often, 0: as often as it may
// cost, but no more than kUsualMembers and not fewer than an interval needs. `events`: of the
// scenarios' predictions together.
MembersPlan members_plan(std::size_t asked, double affordable_events, std::uint64_t events);

// Returns: the members of a scenario in the order in which confidence_of() takes them. `chance`: it
// leaves something to chance: member m has seed first_seed + m - 1; and where one thing alone is
// drawn all have the first. None where nothing can be drawn.
std::vector<Scenario> members_of(const Scenario& scenario, const MembersPlan& plan, bool chance, std::uint64_t first_seed);

// A scenario's figure, or what one member makes of it.
struct Outcome {
  double time_s = 0;
  std::optional<double> energy_j;
  double message_s = 0; // in messages and waiting, in the mean over the ranks
  double compute_s = 0; // likewise
};
Outcome outcome_of(const sim::Prediction& prediction);
// Requires: at least one.
Outcome mean_of(const std::vector<Outcome>& realisations);

// [member - 1] what the scenario would come to, its model's own error included. Of two scenarios
// with the same number of members the differences, member by member, tell how sure their difference
// is.
struct MemberValues {
  std::vector<double> time_s{};
  bool watts_known = false;                                // else watts are taken as exact, and joules have no interval
  std::vector<double> energy_j{};                          // empty: the platform has no power figures
  std::map<std::uint32_t, std::vector<double>> region_s{}; // region -> predicted computation of all ranks; where it is kept
};
// `answers`: at least `count`, of members; none: all are as the figure.
MemberValues values_of(const Outcome& figure, const ModelError& error, std::size_t count, const std::vector<Outcome>& answers);
// Returns: [member - 1] by how much its computation is more than it played, in all regions alike,
// for the model's own error.
std::vector<double> computation_factors(const ModelError& error, std::size_t count);

// `values`: of the plan's members; `answers`: of all members; `realisations`: times by chance
// alone; both may be empty.
sim::Confidence confidence_of(const Outcome& figure, const MembersPlan& plan, const MemberValues& values,
                              const std::vector<Outcome>& answers, const std::vector<double>& realisations);

} // namespace farcast::scenario
