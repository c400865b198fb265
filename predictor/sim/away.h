// Ranks of a coupled run that are in calls which nobody models: when they come back only the real run
// tells.
//
// Virtual time waits for them as it does for a computation, but not for long: the call may be waiting
// for what another rank has yet to do. Past kPatience the others go on without them, and who comes
// back then does so at the instant that the others have reached; what its call took says nothing.
// Threads: none; one owner.
#pragma once

#include "predictor/sim/scheduler.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace farcast::sim {

class Away {
public:
  static constexpr std::chrono::milliseconds kPatience{100}; // of real time

  Away(trace::Timelines& timelines, Scheduler& scheduler) : timelines_(timelines), scheduler_(scheduler) {}

  // The strand's last operation was such a call, which has its answer. Returns: false: it has come
  // back already; else it waits until come_back().
  bool leaves(std::uint32_t strand);
  [[nodiscard]] bool any() const { return !strands_.empty(); }
  // Lets strands that have come back go on at this instant. `others_go_on`: something else is due
  // later. Returns: whether there was one, which is waited for as long as it says above.
  bool come_back(bool others_go_on);
  // The strand has come back late, and took its next operation: what is left of the call takes no time.
  static void shorten(Strand& strand);

private:
  struct One {
    std::uint32_t strand;
    double left; // virtual time
    std::chrono::steady_clock::time_point since;
  };
  bool take_back();

  trace::Timelines& timelines_;
  Scheduler& scheduler_;
  std::vector<One> strands_;
};

} // namespace farcast::sim
