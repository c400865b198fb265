// How many co-runners a rank had: ranks of its node, itself included, that were between two MPI
// calls at each moment.
//
// In: the streams of all ranks of a recording, live or complete. Out: for a stretch of one rank's
// time, how long there was one (alone), were two, three ... Time stamps tell it, so it holds for
// isolated runs as well as for real-life ones.
// Invariants: 1. only the threads that called MPI_Init count; 2. more ranks than the node has cores
// do not compute at a time, so there are at most as many as cores, where that is known; 3. a row of
// fruitless polls is waiting unless most of it was spent between them, and a row of other calls is
// its computation and then its calls; 4. with --isolate 1 each rank was alone: nothing is read for that.
// Threads: one owner; blocks while a live stream has not got far enough. Ranks of a coupled run may
// wait for what it is asked for: it never blocks for them, but takes what their rings say of their last
// calls (SlotSource), by which a row is one call. Cost: each rank passes over all calls of its node.
// Source: Heinrich17 V-A2 measures a region alone and with all ranks of the node; here each visit
// is taken as what it was.
#pragma once

#include "predictor/trace/operation.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/slot_stream.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace farcast::trace {

// Says how much work alone a stretch of computation was that was measured beside co-runners.
class CorunnerCorrection {
public:
  CorunnerCorrection() = default;
  CorunnerCorrection(const CorunnerCorrection&) = delete;
  CorunnerCorrection& operator=(const CorunnerCorrection&) = delete;
  virtual ~CorunnerCorrection() = default;
  // `share`: part of the operation's computation with index + 1 co-runners; the sum is 1.
  // Returns: Operation::alone_share, above 0.
  virtual double alone_share(const Operation& operation, const std::vector<double>& share) = 0;
};

class CorunnerTrack {
public:
  // Requires: the recording's ranks are known and outlive this object. `answers`: who asks answers the
  // ranks of a coupled run.
  explicit CorunnerTrack(Recording& recording, bool answers = false);

  // Puts into `share` which part of from..to (ticks of the rank's node) passed with index + 1
  // co-runners; the sum is 1. Both ends must not decrease from call to call of one rank. Requires:
  // `rank` is a place in the recording's list of ranks.
  void shares(std::size_t rank, std::uint64_t from, std::uint64_t to, std::vector<double>& share);

private:
  struct Follower { // reads one rank's calls as changes: it begins to compute, or enters a call
    std::optional<SlotCursor> cursor;
    std::span<const stream::Slot> slots; // read, and from `at` on not yet followed
    std::size_t at = 0;
    std::optional<stream::CallSlot> row; // of polls, of which it is not known what they were
    SlotSource::LastCall seen;
    std::uint64_t looked = 0; // the last look of the track at which it was asked for `seen`
    bool initialized = false;
    bool ended = false;
    bool computing = false;
    std::deque<std::pair<std::uint64_t, bool>> changes; // not yet counted
    std::uint64_t last = 0;                             // never goes back

    void change(std::uint64_t ticks, bool computes);
    bool read_on(std::uint64_t look);
    void see(const SlotSource::LastCall& call);
    void follow(const stream::Slot& slot);
    void follow(const stream::CallSlot& call);
    void end();
  };
  struct Change {
    std::uint64_t ticks;
    std::uint32_t computing; // from here on
  };
  struct Node {
    std::vector<std::size_t> ranks;
    std::uint32_t cores = 0; // 0: unknown
    bool isolated = true;    // its ranks, one at a time
    std::uint32_t computing = 0;
    std::uint64_t known_until = 0;
    std::uint64_t dropped = 0; // changes in front of the list that nobody needs any more
    std::deque<Change> changes;
  };

  void read(Follower& follower) const;
  void extend(Node& node, std::uint64_t until);
  void drop_old(Node& node);

  bool answers_;
  std::uint64_t looks_ = 0;
  std::vector<Follower> followers_;    // [rank's place]
  std::vector<std::uint32_t> node_of_; // [rank's place]
  std::vector<std::uint64_t> cursor_;  // [rank's place] the change that its last stretch began in, counting dropped ones
  std::vector<Node> nodes_;
};

} // namespace farcast::trace
