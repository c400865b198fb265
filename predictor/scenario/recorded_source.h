// A recorded run as a source: live, while its streams still grow, or read back from run files.
//
// Threads: as Source. The recording must outlive it; each reading has slowdowns of its own.
#pragma once

#include "predictor/scenario/decodings.h"
#include "predictor/scenario/region_spread.h"
#include "predictor/scenario/source.h"
#include "predictor/trace/recorded_timelines.h"
#include "predictor/trace/recording.h"

#include <atomic>
#include <functional>
#include <memory>

namespace farcast::scenario {

// Of a coupled run: who is told what comes of its calls, and how it ended, before that one is told
// that it is over. On the engine's thread.
struct Coupling {
  trace::AnswerSink* answers = nullptr; // null: it is not coupled, or over
  std::function<void(const sim::Prediction&, const trace::SiteTable&)> at_end;
};

using SlowdownTable = std::shared_ptr<const region::SlowdownTable>; // null: none was given

class RecordedSource final : public Source {
public:
  // Requires: recording.ranks holds world_size ranks, sorted by rank, each with at least one stream.
  // The first reading that is opened answers a coupled run.
  explicit RecordedSource(trace::Recording& recording, SlowdownTable slowdowns = nullptr, Coupling coupling = {});
  ~RecordedSource() override;

  void expect(std::size_t readings, std::size_t at_once, std::function<void()> begin) override;
  std::unique_ptr<Reading> open(const Scenario& scenario) override;
  bool vary_computation(Deviations deviations) override;
  [[nodiscard]] bool outcomes_as_recorded() const override { return outcomes_as_recorded_; }

private:
  struct Decoding;
  class Alone;
  class OneOfMany;
  std::unique_ptr<region::Slowdowns> slowdowns_for(const trace::SiteTable& sites);

  trace::Recording& recording_;
  SlowdownTable slowdowns_;
  Coupling coupling_;
  std::atomic<trace::AnswerSink*> answers_;
  bool alone_ = true;          // there is one reading
  bool cores_to_spare_ = true; // beside those that play
  std::function<void()> begin_;
  std::unique_ptr<Decodings<Decoding>> decodings_;
  std::unique_ptr<RegionSpread> spread_; // null: no members are asked
  bool outcomes_as_recorded_ = false;
};

} // namespace farcast::scenario
