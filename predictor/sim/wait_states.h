// What ranks wait for, and where: late senders, late receivers, the last member of a collective; and
// what they compute unequally.
//
// In: calls as the engine leaves them; out: the sums of a Prediction's Bottlenecks.
// Invariants: (1) of a rank, late_sender, late_receiver and other are its time in Activity::waiting,
// and collective is a part of that in Activity::collective; (2) the sums over sites, and over the
// regions that led to the calls, are those over ranks. Blocking collectives alone wait; what
// non-blocking ones wait for is in the wait that completes them (Activity::completion).
// In a collective a member waits for those whose data it needs: all of them, the root, at the root
// all others, of scans those before it. Memory: of collectives, those under way.
// Source: Wolf and Mohr, Automatic performance analysis of hybrid MPI/OpenMP applications (EXPERT),
// 2003. Threads: none; one owner.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/sim/prediction.h"
#include "predictor/sim/request.h"
#include "predictor/trace/operation.h"

#include <cstdint>
#include <map>
#include <vector>

namespace farcast::sim {

class WaitStates {
public:
  explicit WaitStates(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  // The call of a strand waits, as yet longest for a request of this kind.
  void waits_for(std::uint32_t strand, Request::Kind kind) {
    if (strand >= late_.size()) late_.resize(strand + 1);
    late_[strand] = kind;
  }
  void enters(std::uint32_t strand) { waits_for(strand, Request::Kind::storage); }
  // A main strand has waited in its operation's call for so many seconds.
  void waited(std::uint32_t strand, std::uint32_t rank, const trace::Operation& operation, double seconds);
  void computed(std::uint32_t rank, std::uint32_t region, double seconds);

  struct Member { // of a collective call, at its end
    int member;   // rank in the communicator
    std::uint32_t rank;
    std::uint32_t site;
    std::uint32_t region;
    bool blocking;
    double begin;
    double end;
  };
  // `call`: the how-many-th of the communicator.
  void collective(std::uint32_t communicator, std::uint32_t call, std::size_t members, trace::CollectiveKind kind, int root,
                  const Member& member);

  void report(Bottlenecks& out) const;

private:
  void book(std::uint32_t rank, std::uint32_t site, std::uint32_t region, WaitState state, double seconds);
  void judge(std::vector<Member>& members, trace::CollectiveKind kind, int root);

  std::vector<WaitTimes> ranks_;
  std::map<std::uint32_t, WaitTimes> sites_;
  std::map<std::uint32_t, WaitTimes> regions_;
  std::map<std::uint32_t, std::vector<double>> computed_; // region -> [rank] seconds
  std::vector<Request::Kind> late_;                       // [strand]; storage: nothing that has a state of its own
  base::FlatMap<std::uint64_t, std::vector<Member>> under_way_;
};

} // namespace farcast::sim
