// Calls that wait by blocking (--mpi-wait block): after a spin the process gives up its core, and
// an interrupt has to wake it (Kandalla10 II-C, VII-C; model/blocking_wait.h).
//
// begin() when a rank begins to wait, or has read all that came and still waits; the engine hears
// kSpun when its spin is over, and sleep() takes its core away unless it is at work. wake() when
// something comes: the seconds until the process runs. Waiting in a loop of MPI_Test or MPI_Iprobe,
// and waits of a rank's further threads, poll as ever. Without the option nothing here does
// anything. Threads: none; one owner.
#pragma once

#include "predictor/sim/scheduler.h"
#include "predictor/sim/setting.h"

#include <cstdint>
#include <vector>

namespace farcast::sim {

class BlockingWaits {
public:
  BlockingWaits(const Setting& setting, Scheduler& scheduler);

  [[nodiscard]] bool on() const { return !ranks_.empty(); }
  // The rank's main strand polls for something that is not there. Requires: on().
  void begin(std::uint32_t rank);
  // It has read something, and waits on if it waited before. Requires: on().
  void begin_again(std::uint32_t rank) {
    if (ranks_[rank].waits) begin(rank);
  }
  // The event of `time` that begin() arranged, which may be out of date. `busy`: the process is at
  // work inside its call.
  void sleep(std::uint32_t rank, double time, bool busy);
  // Something has come. Returns: the seconds until the process runs, 0 unless it slept. Requires:
  // on().
  double wake(std::uint32_t rank);
  // What it waited for is there. Returns: as wake(). Requires: on().
  double end(std::uint32_t rank) {
    ranks_[rank].waits = false;
    return wake(rank);
  }

  // Adds what it assumes, if it is on.
  void say(Prediction& prediction) const;

private:
  struct Rank {
    double spins_until = -1;
    bool waits = false;
    bool asleep = false;
  };

  const Setting& setting_;
  Scheduler& scheduler_;
  std::vector<Rank> ranks_; // [rank]; empty: they poll
};

} // namespace farcast::sim
