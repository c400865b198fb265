// Who watches a prediction while it is made: time lines, link use, energy over time and critical
// paths are made from this.
//
// The engine tells what it plays instant by instant, an interval of a rank once its end is known:
// of one rank in their order. Times are virtual seconds. Nothing that an observer does changes a
// prediction. Threads: that of predict(). No observer costs nothing.
#pragma once

#include "predictor/energy/power_meter.h"
#include "predictor/network/link_use.h"
#include "predictor/platform/platform.h"
#include "predictor/sim/prediction.h"
#include "predictor/trace/operation.h"

#include <cstdint>

namespace farcast::sim {

// What a rank does from `begin` to `end`. Those of a rank's main thread follow each other without a
// gap, from 0 to the end of the prediction; those of one activity sum up to RankTimes::in.
struct Interval {
  std::uint32_t rank;
  Activity activity;
  std::uint32_t site;   // of the call; computation: of the call that it leads to
  std::uint32_t region; // of computation; otherwise of the one that led to the call
  double begin;
  double end;
  double entered; // the call; otherwise `begin`. Those of one call have the same, and no others of the rank have
};

// A message, or one way of a one-sided transfer (a reply is a message of its own). `id`: no other
// of the prediction has it.
struct MessagePosted {
  std::uint64_t id;
  std::uint32_t source; // ranks
  std::uint32_t destination;
  double bytes;       // payload
  bool in_collective; // posted by an algorithm, not by the program
  bool one_sided;     // nothing matches it
  double time;
};
struct MessageMatched {
  std::uint64_t id;
  double time; // send and receive have both been posted
};
struct MessageArrived {
  std::uint64_t id;
  double time; // the last byte is at the receiver
};

// A member's part of a collective call.
struct CollectivePlayed {
  std::uint32_t rank;
  std::uint32_t communicator;
  std::uint32_t call; // the how-many-th of that communicator: the same for all of its members
  trace::CollectiveKind kind;
  double begin;
  double end;
};

struct CoreChange {
  std::uint32_t rank;
  platform::HostId host;
  int core;
  energy::CoreState state; // from `time` on
  double time;
};

// What other threads of a rank than those of its timelines used of the cores that the placement gives
// them: so many seconds of cores at some time from `begin` to `end`. In no order of time. A rank may
// be told more than it has cores for: Prediction::other_threads has what counts.
struct OtherThreads {
  std::uint32_t rank;
  platform::HostId host;
  double begin;
  double end; // may be `begin`
  double core_seconds;
};

class Observer {
public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  virtual void interval(const Interval& /*interval*/) {}
  virtual void posted(const MessagePosted& /*message*/) {}
  virtual void matched(const MessageMatched& /*message*/) {}
  virtual void arrived(const MessageArrived& /*message*/) {}
  virtual void collective(const CollectivePlayed& /*call*/) {}
  virtual void core(const CoreChange& /*change*/) {}
  virtual void other_threads(const OtherThreads& /*use*/) {}
  // Asked once: whether link() is wanted. With flows it costs a visit to all links whenever rates
  // change.
  [[nodiscard]] virtual bool wants_links() const { return false; }
  // What a link carries: of one link in the order of time, as soon as it is known, which may be
  // ahead of its time.
  virtual void link(const network::LinkUse& /*use*/) {}
  // The last of all: what the prediction says.
  virtual void concluded(const Prediction& /*prediction*/) {}
};

} // namespace farcast::sim
