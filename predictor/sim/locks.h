// Locks of windows: who holds them, and who waits for whom (MPI_Win_lock, MPI_Win_lock_all).
//
// At a target an exclusive lock is held by one, a shared one by any number; they are granted in the
// order in which they are asked for, as MPICH's ch4 grants them (Open MPI's osc/rdma lets those that
// wait try again and again: in any order). A lock of all targets waits while anybody holds an
// exclusive one in the window, and nobody waits for it before it is granted: who holds one target's
// may need another's first. What one target tells the others of that takes no time.
// Threads: none; one owner.
#pragma once

#include "predictor/trace/operation.h"

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace farcast::sim {

class Locks {
public:
  struct Window {
    std::uint32_t context;
    std::uint32_t number; // of the communicator's windows
    auto operator<=>(const Window&) const = default;
  };

  // A rank's request asks for a lock. Returns: it is granted; else release() says when.
  bool ask(const Window& window, std::uint32_t target, trace::Lock kind, std::uint32_t request);
  // A holder gives it up. Returns: the requests that are granted by that, in order.
  std::vector<std::uint32_t> release(const Window& window, std::uint32_t target, trace::Lock kind);

private:
  struct Waiting {
    std::uint32_t request;
    bool exclusive;
  };
  struct Target {
    std::uint32_t shared = 0; // holders
    bool exclusive = false;
    std::deque<Waiting> waiting;
  };
  struct State {
    std::map<std::uint32_t, Target> targets;
    std::uint32_t exclusive = 0; // targets that are held so
    std::uint32_t all = 0;       // holders
    std::vector<std::uint32_t> waiting_for_all;
  };
  static void serve(State& state, Target& target, std::vector<std::uint32_t>& granted);

  std::map<Window, State> windows_;
};

} // namespace farcast::sim
