// Collective calls that cost a closed formula: who has entered which call, and when each member may
// go on.
//
// In: join() as members enter, at ascending times; out: when members go on, as collective::Flow
// demands. A call costs the largest of its members' figures (with lists of counts each member knows
// its own part); from_root: the root's.
// Invariants: each member of a call joins once and is let go once. Time and memory per call are
// O(members).
// Threads: none; one owner.
#pragma once

#include "predictor/collective/closed_form.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace farcast::sim {

class Meetings {
public:
  struct Member {
    std::uint32_t strand; // who is let go
    int rank;             // in the communicator
    int size;             // of the communicator
    bool is_root;         // of a rooted call
  };
  struct Release {
    std::uint32_t strand;
    double at; // s; not before now
  };

  // A member enters the call `key` (communicator id << 32 | number of the call on it) at `now`.
  // Returns: when it goes on by itself; nothing when it has to wait for others. Appends to
  // `released` those whom its entry lets go.
  std::optional<double> join(std::uint64_t key, const Member& member, const collective::Cost& cost, double now,
                             std::vector<Release>& released);

private:
  struct Meeting {
    int entered = 0;
    int prefix = 0;     // upwards: ranks 0 .. prefix - 1 have entered
    double seconds = 0; // the largest cost so far; from_root: the root's
    double ready = 0;   // upwards: the last entry of the prefix
    bool root_is_in = false;
    std::vector<std::optional<double>> entries; // upwards: [rank]
    std::vector<Member> waiting;
  };

  std::optional<double> join_from_root(Meeting& meeting, const Member& member, const collective::Cost& cost, double now,
                                       std::vector<Release>& released);
  std::optional<double> join_upwards(Meeting& meeting, const Member& member, const collective::Cost& cost, double now,
                                     std::vector<Release>& released);

  std::unordered_map<std::uint64_t, Meeting> meetings_;
};

} // namespace farcast::sim
