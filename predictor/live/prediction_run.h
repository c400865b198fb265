// Answers the scenarios of a run and counts what was measured in it, while the program runs or
// afterwards.
#pragma once

#include "predictor/base/workers.h"
#include "predictor/live/asked.h"
#include "predictor/live/doubts.h"
#include "predictor/live/power_over_time.h"
#include "predictor/scenario/ensemble.h"
#include "predictor/scenario/recorded_source.h"
#include "predictor/trace/tally.h"

#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace farcast::live {

class PredictionRun {
public:
  // Starts the threads that play (scenario/ensemble.h), and those that count: one per rank of a program
  // that runs, as many as cores afterwards. `background`:
  // at the lowest priority until hurry(). `memory_bound`: as of scenario::Scenario. `coupling`: of
  // the first platform.
  PredictionRun(trace::Recording& recording, std::vector<PlacedPlatform> platforms, const Settings& settings,
                SlowdownTable slowdowns, Faults faults, bool background, const std::set<trace::Frame>& memory_bound = {},
                scenario::Coupling coupling = {});
  PredictionRun(const PredictionRun&) = delete;
  PredictionRun& operator=(const PredictionRun&) = delete;

  // The program is over: the cores are ours.
  void hurry();
  // To be asked until it is so: it goes on with more realisations where they are needed.
  [[nodiscard]] bool finished();
  // Returns: how far the slowest platform is.
  [[nodiscard]] double virtual_time_s() const { return ensemble_->virtual_time_s(); }
  [[nodiscard]] std::uint64_t slots_played() const { return ensemble_->slots_played(); }
  // Returns: how far the prediction is that answers the program.
  [[nodiscard]] std::uint64_t first_played() const { return ensemble_->first_played(); }
  // As scenario::Ensemble has them.
  [[nodiscard]] std::pair<std::size_t, std::size_t> made() const { return ensemble_->made(); }
  // The same; before outcome().
  void compared(bool second) { ensemble_->compared(second); }
  [[nodiscard]] std::size_t platforms() const { return scenarios_.size(); }

  // Waits. Returns: what was measured, with one table of sites for everything, and the predictions
  // in the platforms' order.
  struct Outcome {
    trace::SiteTable sites; // canonical numbers
    std::vector<trace::MeasuredRank> ranks;
    std::vector<sim::Prediction> predictions;
    scenario::RealisationsOf realisations;       // [prediction]
    std::vector<scenario::MemberValues> members; // [prediction]; empty ones: no ensemble was played
    PowerOverTime power;
  };
  Outcome outcome();

private:
  [[nodiscard]] bool is_over() const { return !recording_.source.empty() || !recording_.joined.empty(); }
  void afford_members();
  void lower_priority();

  trace::Recording& recording_;
  SlowdownTable slowdowns_;
  Faults faults_;
  Played played_; // names: as the recording said when this began
  bool background_;
  std::vector<scenario::Scenario> scenarios_; // one per platform
  PowerOverTime power_;
  std::vector<trace::SiteTable> rank_sites_;
  std::vector<trace::MeasuredRank> measured_;
  std::mutex ids_mutex_;
  bool hurries_ = false;
  std::vector<int> thread_ids_;
  base::Workers counters_; // [rank]
  scenario::RecordedSource source_;
  std::optional<scenario::Ensemble> ensemble_;
};

} // namespace farcast::live
