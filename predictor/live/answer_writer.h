// Writes what came of a coupled program's calls into the memory of its ranks, and wakes them.
//
// The engine's thread gives one answer per announced call of a rank's first thread, in their order
// (libinterpose/stream/segment.h: Answer). What does not fit is given in pieces, each of which the
// rank takes before the next; a rank that does not within kGiveUpSeconds is gone.
// Threads: give() and over() for the engine's thread.
#pragma once

#include "libinterpose/stream/segment.h"
#include "predictor/live/clock_board.h"
#include "predictor/trace/recorded_timelines.h"

#include <vector>

namespace farcast::live {

class AnswerWriter final : public trace::AnswerSink {
public:
  // answers: [rank] mapped, and stays so. `clocks`: outlives this; null: ranks cannot tell one
  // another how far they are.
  AnswerWriter(std::vector<stream::Answer*> answers, ClockBoard* clocks) : answers_(std::move(answers)), clocks_(clocks) {}
  void give(int rank, const trace::RankAnswer& answer) override;
  // No more answers will come: every rank that waits for one waits for ever.
  void over() override;
  [[nodiscard]] bool shares() const override { return clocks_ != nullptr; }
  void share(const trace::Bounds& bounds) override { clocks_->share(bounds); }
  [[nodiscard]] double reached(int rank) const override { return clocks_->reached(rank); }
  [[nodiscard]] bool asks(int rank) const override { return clocks_ != nullptr && clocks_->asks(rank); }

private:
  void wake(std::size_t rank);
  static bool await_taken(stream::Answer& at);

  std::vector<stream::Answer*> answers_;
  ClockBoard* clocks_;
};

} // namespace farcast::live
