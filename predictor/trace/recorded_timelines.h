// The timelines of a recording, live or complete: what the engine plays.
//
// Each object decodes for itself: for one engine, or for all those that read it through
// trace/shared_timelines.h. While a run is live, next() blocks until the program has gone on.
// Multithreaded ranks wait for the end of the run.
#pragma once

#include "predictor/trace/corunners.h"
#include "predictor/trace/decode_ahead.h"
#include "predictor/trace/decoder.h"

#include <memory>
#include <vector>

namespace farcast::trace {

// An answer as its rank understands it.
struct RankAnswer {
  double time_s = 0;
  bool found = true;
  bool outside = false;
  bool away = false;
  int source = -1; // rank in the communicator of the call
  int tag = 0;
  std::vector<std::uint32_t> done;
  struct Match {
    std::uint64_t handle = 0; // of the deferred receive; 0: the call itself
    int source = -1;          // rank in its communicator
    int tag = 0;
  };
  std::vector<Match> matches;
  trace::Answer::Together together = trace::Answer::Together::all;
  double quiet_s = 0; // trace::Answer
  double poll_s = 0;
  bool grows = false;
  bool messages = false;
  double pace = 0;
  double least_poll_s = -1;
};

class AnswerSink {
public:
  virtual void give(int rank, const RankAnswer& answer) = 0;
  // The engine has come to its end: there will be no more answers.
  virtual void over() = 0;
  // Timelines::shares(), share(), reached().
  [[nodiscard]] virtual bool shares() const { return false; }
  virtual void share(const Bounds& /*bounds*/) {}
  [[nodiscard]] virtual double reached(int /*rank*/) const { return 0; }
  // Returns: whether the rank has polled by itself and now asks, which is published.
  [[nodiscard]] virtual bool asks(int /*rank*/) const { return false; }

protected:
  ~AnswerSink() = default;
};

class RecordedTimelines : public Timelines {
public:
  // Requires: recording.ranks holds world_size ranks, sorted by rank, each with at least one
  // stream. `answers`: who tells a coupled program what comes of its announced calls; null: it is
  // not coupled, or over.
  explicit RecordedTimelines(Recording& recording, AnswerSink* answers = nullptr);

  [[nodiscard]] int ranks() const override { return static_cast<int>(decoders_.size()); }
  [[nodiscard]] int timelines() const override { return static_cast<int>(places_.size()); }
  [[nodiscard]] int rank_of(int timeline) const override { return places_[static_cast<std::size_t>(timeline)].rank; }
  bool next(int timeline, Operation& out) override;
  bool next_alike(int timeline, Operation& last) override {
    return ahead_ != nullptr && ahead_->next_alike(static_cast<std::size_t>(timeline), last);
  }
  [[nodiscard]] bool complete() override;

  [[nodiscard]] bool asks() const override { return answers_ != nullptr; }
  [[nodiscard]] bool has_come(int timeline, bool waits) override;
  void answer(int timeline, const Answer& answer) override;
  [[nodiscard]] bool shares() const override { return answers_ != nullptr && answers_->shares(); }
  void share(const Bounds& bounds) override { answers_->share(bounds); }
  [[nodiscard]] double reached(int rank) const override { return answers_->reached(rank); }
  [[nodiscard]] std::span<const Operation> until_question(int timeline) override;

  // From now on the computation of main threads is told to `correction`, with the co-runners that
  // it was measured beside. Not owned.
  void correct_with(CorunnerCorrection& correction);
  // From now on corunner_shares() is known, for who corrects later.
  void follow_corunners() { corunners_ = std::make_unique<CorunnerTrack>(recording_, answers_ != nullptr); }
  // Returns: which part of the computation of the operation that next() gave last was measured
  // beside so many co-runners, index + 1 with itself; empty: that has no computation, or not on a
  // main thread.
  [[nodiscard]] const std::vector<double>& corunner_shares() const { return share_; }

  // From now on what is complete is decoded ahead, on a thread of its own that calls `begin` first;
  // sites() is then only to be asked for when all has been played. Without effect where co-runners
  // are followed, or on one core.
  void decode_ahead(std::function<void()> begin);

  [[nodiscard]] const SiteTable& sites() const { return sites_; }
  // Returns: whether outcomes of calls that next() has given hung on timing, and are those of the
  // recording node. Not to be asked where it is decoded ahead.
  [[nodiscard]] bool outcomes_as_recorded() const;
  // Returns: slots that have been decoded so far, of all streams. Any thread.
  [[nodiscard]] std::uint64_t slots_read() const { return slots_read_.load(std::memory_order_relaxed); }

private:
  [[nodiscard]] bool all_closed() const;
  bool decode(int timeline, Operation& out);
  struct Place {
    int rank;
    std::size_t thread;
  };
  Recording& recording_;
  AnswerSink* answers_;
  std::vector<std::shared_ptr<const Communicator>> asked_on_; // [timeline] the communicator of its last operation
  struct Behind {                                             // operations that until_question() gave, from `at` on
    std::vector<Operation> operations;
    std::size_t at = 0;
    bool asked = false; // next() gave an asked one last
  };
  std::vector<Behind> behind_; // [timeline]
  RankAnswer rank_answer_;     // of the last answer
  CorunnerCorrection* correction_ = nullptr;
  std::unique_ptr<CorunnerTrack> corunners_;
  std::vector<double> share_;
  SiteTable sites_;
  CommRegistry comms_;
  std::vector<std::unique_ptr<Decoder>> decoders_; // [rank]
  std::vector<Place> places_;                      // [timeline]
  std::vector<std::uint64_t> counted_;             // [rank] slots_read at the last count
  std::atomic<std::uint64_t> slots_read_{0};
  std::function<void()> begin_;  // none: nothing is decoded ahead
  std::uint32_t until_look_ = 0; // operations
  bool complete_ = false;        // it has been seen that all streams are closed
  std::unique_ptr<DecodeAhead> ahead_;
};

} // namespace farcast::trace
