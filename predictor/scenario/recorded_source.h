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
#include <memory>

namespace farcast::scenario {

using SlowdownTable = std::shared_ptr<const region::SlowdownTable>; // null: none was given

class RecordedSource final : public Source {
public:
  // Requires: recording.ranks holds world_size ranks, sorted by rank, each with at least one stream.
  // `answers`: of a coupled run, which the first reading that is opened answers; null: there is none, or it is over.
  explicit RecordedSource(trace::Recording& recording, SlowdownTable slowdowns = nullptr, trace::AnswerSink* answers = nullptr);
  ~RecordedSource() override;

  void expect(std::size_t readings, std::size_t at_once, std::function<void()> begin) override;
  std::unique_ptr<Reading> open(const Scenario& scenario) override;
  bool vary_computation(std::size_t members, Deviations deviations) override;

private:
  struct Decoding;
  class Alone;
  class OneOfMany;
  std::unique_ptr<region::Slowdowns> slowdowns_for(const trace::SiteTable& sites);

  trace::Recording& recording_;
  SlowdownTable slowdowns_;
  std::atomic<trace::AnswerSink*> answers_;
  bool alone_ = true;          // there is one reading
  bool cores_to_spare_ = true; // beside those that play
  std::function<void()> begin_;
  std::unique_ptr<Decodings<Decoding>> decodings_;
  std::unique_ptr<RegionSpread> spread_; // null: no members are asked
};

} // namespace farcast::scenario
