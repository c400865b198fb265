// Polls of a coupled program that are answered before their instant, because they cannot find
// anything: while one rank polls by itself, so can others, and each goes on as the others get on
// (trace::Bounds).
//
// A poll for messages finds nothing until something is due that is under way by itself, or another
// rank's next act has had time to reach it (horizon.h). The poll is settled at its instant as ever,
// and found nothing.
// Threads: none; one owner.
#pragma once

#include "predictor/sim/answers.h"
#include "predictor/sim/horizon.h"
#include "predictor/sim/polls.h"

#include <cstdint>

namespace farcast::sim {

class PollsAhead {
public:
  PollsAhead(trace::Timelines& timelines, Scheduler& scheduler, const Polls& polls, const Computation& computation,
             Horizon& horizon, Answers& answers)
      : timelines_(timelines), scheduler_(scheduler), polls_(polls), computation_(computation), horizon_(horizon),
        answers_(answers), shares_(timelines.shares()) {}

  // The poll of `rank`, for messages, is answered now, and `quiet` is what it is to be told: it is
  // shortened so that the rank asks again once others can go on beside it, and grows as they do.
  void go_along(std::uint32_t rank, MessageLayer& layer, Quiet& quiet);

private:
  [[nodiscard]] double limit_of(std::uint32_t rank) const;
  // Returns: when the poll looks that its rank waits for: the one that the strand is in, computes
  // up to, or comes to behind polls that the rank has answered itself; infinity: there is none, or
  // it may find something.
  [[nodiscard]] double looks_in_vain(const Strand& strand);
  [[nodiscard]] bool may_be_in_vain(std::uint32_t rank, const trace::Operation& operation);

  trace::Timelines& timelines_;
  Scheduler& scheduler_;
  const Polls& polls_;
  const Computation& computation_;
  Horizon& horizon_;
  Answers& answers_;
  bool shares_;
  trace::Bounds bounds_;
};

} // namespace farcast::sim
