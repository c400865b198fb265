// What the engine states as facts (sim/prediction.h), in words for people: without a full stop,
// unless a list of sentences follows.
//
// The same words for the same facts; nothing parses them. Pure functions.
#pragma once

#include "predictor/report/run_summary.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/scenario/members.h"
#include "predictor/sim/prediction.h"

#include <string>
#include <vector>

namespace farcast::report {

// Returns: the sentence of a problem without the name of the call site that a blocked rank stands at.
std::string problem_text(const sim::Problem& problem);
// Returns: the same with that name.
std::string problem_sentence(const sim::Problem& problem, const std::vector<SiteInfo>& sites);
std::string coverage_sentence(const CoverageGap& gap);
std::string crowded_sentence(const CrowdedThreads& crowded);
// Returns: what the row of the run itself is called. A coupled one waits for its predictor: that is
// nobody's time.
std::string measured_row(const RunSummary& run);
// Returns: the notes of the recording, then what it does not cover.
std::vector<std::string> notes_of(const RunSummary& run);
std::string assumption_sentence(const sim::Assumption& assumption);
std::string transport_text(const sim::TransportUse& transport); // "smpi", "ordered channels, progress inside calls"
// Returns: how far predictions by a model of messages were off that no calibration on the network
// has made; empty: another one.
std::string checked_sentence(const sim::TransportUse& transport);
// Returns: how many histories were played, the mean of their times and their range.
std::string realisations_sentence(const scenario::Realisations& realisations);
// Returns: what to expect of single runs; empty where all take about the same.
std::string chance_sentence(const scenario::Realisations& realisations);
// Returns: what links draw, and those that draw most; empty where none has figures and carried
// something.
std::string link_energy_sentence(const sim::Prediction& prediction);
// Returns: which relative speed holds and where it comes from. `platform`: its name.
// Returns: the figure, or two of them: "2", "0.5 to 2".
std::string times_as_fast(const host::ComputeSpeed& speed);
std::string compute_speed_sentence(const host::ComputeSpeed& speed, const std::string& platform);

} // namespace farcast::report
