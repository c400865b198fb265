// The critical path: the chain of computation, calls and messages, each the reason why the next one
// was no earlier, that ends with the prediction.
//
// The engine tells what strands do; for each strand and each message under way the path that led to
// it is kept (path_tree.h). A strand that waits for a message goes on because of it: its path from
// then on is that of who began the message, and the message. Who began it: its sender, where it
// left at once or the receive was there; the receiver, where it had to be asked for first.
// A strand that is busy when a message comes does not go on because of it. What a message waits for
// on links that it shares is part of its way.
// Invariant: a path leaves no time out and has none twice: its sums add up to the time at its end.
// Source: Böhme et al., Scalable critical-path based performance analysis, IPDPS 2012 (there from a
// trace, backwards). Threads: none; one owner.
#pragma once

#include "predictor/sim/path_tree.h"
#include "predictor/sim/prediction.h"
#include "predictor/sim/scheduler.h"

#include <cstdint>
#include <vector>

namespace farcast::sim {

class CriticalPath {
public:
  explicit CriticalPath(const Scheduler& scheduler) : scheduler_(scheduler) {}

  // The strand goes on at this instant: what is posted and completed until stops() is its doing.
  void acts(std::uint32_t strand) { acting_ = strand; }
  void stops() { acting_ = kNone; }
  // The strand has computed until now; it enters its operation's call.
  void computed(std::uint32_t strand);
  // The strand leaves its call.
  void left(std::uint32_t strand);
  // The strand that acts begins another one of its rank, inside its own call.
  void begins(std::uint32_t strand);

  // The slot of a request is used again.
  void taken(std::uint32_t request);
  // The strand that acts begins what completes the request.
  void begun(std::uint32_t request);
  // A send has met its receive. `held`: nothing of the message went before that.
  void met(std::uint32_t send, std::uint32_t receive, bool by_receive, bool held);
  // What completes the request comes of what the strand has just done in its call.
  void held_up(std::uint32_t request, std::uint32_t strand);
  // The strand, which was idle, goes on because the request is complete, or its message is there.
  void woken(std::uint32_t strand, std::uint32_t request);
  // The same, because of what the strand that acts does now.
  void woken_by_actor(std::uint32_t strand);

  // Adds the path that ends with a strand. Requires: computed() is told of all that it did.
  void report(std::uint32_t strand, Bottlenecks& out) const;

private:
  struct Place { // of a strand
    PathTree::Node tip = PathTree::kNoNode;
    double at = 0; // until when its path is known
    std::uint32_t site = 0;
  };
  struct Origin { // of a request
    PathTree::Node node = PathTree::kNoNode;
    double at = 0;
    std::uint32_t site = 0;
  };
  Place& place_of(std::uint32_t strand);
  void spend(Place& place, std::uint32_t rank, PathPart part, std::uint32_t index);
  void spend_in_call(std::uint32_t strand);
  void set(std::uint32_t request, const Origin& origin);
  void adopt(std::uint32_t strand, const Origin& origin);
  Origin place_as_origin(std::uint32_t strand);
  Origin here() { return place_as_origin(acting_); }

  const Scheduler& scheduler_;
  PathTree tree_;
  std::vector<Place> places_;   // [strand]
  std::vector<Origin> origins_; // [request]
  std::uint32_t acting_ = kNone;
};

} // namespace farcast::sim
