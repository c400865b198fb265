// What a call of MPI_Iprobe, MPI_Test and their like takes by itself: what the platform says of
// one, else what it took when it was recorded. And when the next one comes: a program that works
// between two of them finds what it waits for when it looks again, not when it is there. (Its
// library goes on as if it looked all the time: what has to be answered before a message comes is
// answered at once.)
//
// Threads: none; one owner.
#pragma once

#include "predictor/sim/account.h"
#include "predictor/sim/cores.h"
#include "predictor/sim/scheduler.h"
#include "predictor/sim/setting.h"

#include <optional>
#include <vector>

namespace farcast::sim {

class Polls {
public:
  Polls(const Setting& setting, Scheduler& scheduler, const Cores& cores, Account& account)
      : p2p_(setting.platform.p2p), scheduler_(scheduler), cores_(cores), account_(account) {}

  // Returns: what the polls of the strand's operation take, in seconds.
  double begin(Strand& strand);
  // What the strand polls for is there. Returns: when it looks next. Requires: look_s > 0.
  [[nodiscard]] double next_look(const Strand& strand) const;
  // Returns: the same, of one that has not begun.
  [[nodiscard]] double cost(const trace::Operation& operation) const;
  // What this poll waits for is there: what is left of its cost is the platform's doing.
  void book(const Strand& strand);
  // Returns: each figure of the platform that makes much of some rank's time.
  [[nodiscard]] std::vector<GivenPolls> costly(base::Seconds time) const;

private:
  [[nodiscard]] const std::optional<base::Seconds>& given(bool probes) const {
    return probes ? p2p_.iprobe_cost : p2p_.test_cost;
  }

  const platform::PointToPoint& p2p_;
  Scheduler& scheduler_;
  const Cores& cores_;
  Account& account_;
};

} // namespace farcast::sim
