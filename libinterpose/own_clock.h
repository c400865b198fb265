// The virtual time of a rank between two answers of the predictor, which the rank reckons itself:
// MPI_Wtime needs no question.
//
// In: the answer to a poll or to MPI_Wtime (Decided: when it was given, how long a second of this
// machine takes there); then what the rank computes, its polls that it answers itself
// (quiet_polls.h) and its looks at this clock. Out: the virtual time. Any other recorded call ends
// it: the predictor knows what that takes. So does what has to be measured apart (pushed_aside.h),
// and kLongestS, for sums of what is recorded are rounded. It never goes back. Threads: the one
// that takes part in the coupling.
#pragma once

#include <cstdint>

namespace farcast::interpose {

struct Decided;
struct Thread;

class OwnClock {
public:
  // `thread` has just left the call that was answered so.
  void begin(const Decided& decided, const Thread& thread);
  // Another call, of which the predictor knows what it takes.
  void end() { known_ = false; }
  // Returns: whether the clock is known to `thread`, which is about to make a call.
  [[nodiscard]] bool is_known(const Thread& thread) const;
  // A look at it that was entered then. Returns: seconds of virtual time since MPI_Init.
  double look(std::uint64_t entered);
  // That look, or a poll that the rank has answered itself (left_poll), is over. `in`: the poll's ticks.
  void left(std::uint64_t entered, const Thread& thread);
  void left_poll(std::uint64_t computed, std::uint64_t entered, std::uint64_t in, const Thread& thread);
  // The rank has waited for the others so many ticks, which are none of the program's
  // (QuietPolls::grow).
  void waited(std::uint64_t ticks) { exit_ += ticks; }
  // The predictor has answered that it was `time_s`. Returns: what the program is told.
  double told(double time_s) {
    if (time_s > told_s_) told_s_ = time_s;
    return told_s_;
  }

private:
  static constexpr double kLongestS = 1e-3; // virtual
  void compute(std::uint64_t ticks);

  bool known_ = false;
  std::uint64_t exit_ = 0; // Thread::last_exit of the last call that counts here
  double now_s_ = 0;
  double until_s_ = 0;
  double tick_s_ = 0; // what a tick of a call takes, which nothing stretches
  double pace_ = 0;   // virtual seconds that a tick of computation takes
  double poll_s_ = 0; // virtual, of each poll; below 0: its own time
  bool polls_known_ = false;
  double told_s_ = 0;
};
extern constinit OwnClock own_clock;

} // namespace farcast::interpose
