// One step of a rank's timeline: the computation since the previous MPI call, then one MPI operation.
//
// Made by trace/decoder.h (records of the interposer); played by sim/engine.h. Ranks and roots are
// world ranks unless a comment says otherwise.
#pragma once

#include "predictor/base/units.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace farcast::trace {

// A communicator as the engine needs it. Shared by all its members' operations (same pointer value
// within one timeline set).
struct Communicator {
  std::uint32_t id = 0;     // unique within one set of timelines; used for matching only, never for ordering
  std::vector<int> members; // [communicator rank] -> world rank; of this rank's own group for an inter-communicator
  std::vector<int> remote;  // [rank] of the remote group; empty for an intra-communicator
};

enum class OperationKind : std::uint8_t {
  local,        // takes its measured time: Comm_rank, Type_commit, Pack, and calls that are not modelled
  init,         // MPI_Init*: the rank's clock is 0 when it returns
  finalize,     // MPI_Finalize: the rank's time ends when it is entered
  send,         // blocking send (mode says which)
  receive,      // blocking receive
  isend,        // non-blocking send: starts request
  ireceive,     // non-blocking receive: starts request
  send_receive, // Sendrecv: both at once, returns when both are done
  probe,        // returns when a message from (peer, tag) can be received (Probe, Mprobe, an Iprobe that succeeded)
  wait,         // returns when all of `requests` are complete (Wait*, a Test* that succeeded: the outcome that happened)
  forget,       // Request_free: `requests` complete without anyone waiting; Cancel of a receive that was cancelled
  collective,   // blocking collective
  icollective,  // non-blocking collective: starts request
  transfer, // one-sided: `bytes` go to `peer` without its help, then `reply_bytes` come back; starts request (0: nobody waits)
  storage,  // file access: `bytes` are written, or `reply_bytes` read (the other one is below 0)
  istorage, // non-blocking file access: starts request
  poll,     // fruitless polls: take their measured time, unless the platform says what a poll costs
};

// Of a transfer: it asks its target for a lock of a window (what comes back is that it is granted), or,
// where nothing comes back, gives it up.
enum class Lock : std::uint8_t { none, shared, exclusive, all }; // all: shared, of every target of the window

enum class SendMode : std::uint8_t { standard, synchronous, buffered, ready };

enum class CollectiveKind : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  synchronize, // window and file constructors, destructors: an agreement of all members on a few bytes
  construct,   // communicator constructors: an agreement on its number, by the library's way; `send_bytes`: each rank's share of
               // what is gathered before (MPI_Comm_split), else 0
};

struct Collective {
  CollectiveKind kind = CollectiveKind::barrier;
  int root = 0;             // communicator rank; rooted kinds only. Inter-communicator: rank in the remote group, or kInterRoot
                            // where the caller passed MPI_ROOT, or kProcNull in the rest of the
                            // root's group
  double send_bytes = 0;    // what this rank contributes: the whole buffer of bcast/reduce/scan, the total of its blocks for v/w
                            // kinds, ONE block for
                            // gather/scatter/allgather/alltoall/reduce_scatter_block/neighbor_*
  double receive_bytes = 0; // the same for the receive side
  bool commutative = true;  // the reduction's operator
  bool in_place = false;    // MPI_IN_PLACE: both sides' bytes are those of the one that there is
  double ignored_bytes = 0; // in place: what Open MPI's choice for allgather goes by, the send count that the standard ignores
  double element_bytes = 0; // of the datatype; 0: not known
  bool works = false;       // its members map or free memory besides: what the call takes when nobody waits is theirs
  bool met = false;         // coupled: they have agreed before, and nothing but their work is left
  // v/w kinds: bytes for (from) each communicator rank, or each neighbour; null where this rank has
  // no such argument.
  std::shared_ptr<const std::vector<double>> send_counts = nullptr;
  std::shared_ptr<const std::vector<double>> receive_counts = nullptr;
  // neighbor_* kinds: communicator ranks, MPI_PROC_NULL as -1.
  std::shared_ptr<const std::vector<int>> sources = nullptr;
  std::shared_ptr<const std::vector<int>> destinations = nullptr;

  [[nodiscard]] bool has_lists() const {
    return send_counts != nullptr || receive_counts != nullptr || sources != nullptr || destinations != nullptr;
  }
  // Of lists: whether they are the same objects.
  friend auto operator<=>(const Collective&, const Collective&) = default;
};

// Which of the requests that a call names must be complete for it to return.
enum class Completes : std::uint8_t { all, any, some };

inline constexpr int kAnyPeer = -4;     // asked operations: MPI_ANY_SOURCE
inline constexpr int kAnyTag = -1;      // asked operations: MPI_ANY_TAG
inline constexpr int kProcNull = -1;    // a peer that does not exist: the operation takes no time
inline constexpr int kInterRoot = -3;   // Collective::root of the root itself in an inter-communicator (MPI_ROOT)
inline constexpr int kUnknownPeer = -2; // a receive from MPI_ANY_SOURCE whose outcome was never seen: it never completes

// Tags from here downwards: a generalized request is a receive of the rank's own, which its completion
// sends. Nothing is copied, and it takes no time.
inline constexpr int kGeneralizedTag = -3'000'000;
inline constexpr bool is_generalized(int tag) { return tag <= kGeneralizedTag; }

inline constexpr std::uint32_t kNotCounted = 0xffffffff;
inline constexpr double kNoReply = -1; // Operation::reply_bytes of a transfer that needs no answer

struct Operation {
  base::Seconds compute{0.0}; // computation since the previous call, own overhead removed, not yet corrected
  double alone_share = 1.0; // seconds that a second of `compute` would have been without co-runners (1 / slowdown when measured)
  base::Seconds measured{0.0};      // time that the call took in the real run
  base::Seconds between_looks{0.0}; // polled: for how long the program works until it polls again, 0 where it only polls
  float others_s = 0;               // of cores that other threads of the rank used: before the call, beyond this thread's own
  float others_in_call_s = 0;       // and while it ran
  std::uint64_t times = 1;          // calls that this stands for: a row of fruitless polls or of local calls, otherwise one
  std::uint32_t region = 0;         // index of (previous site, this site)
  std::uint32_t site = 0;           // index of the call site
  std::uint16_t function = 0;       // index into the function table
  OperationKind kind = OperationKind::local;
  SendMode mode = SendMode::standard;
  Lock lock = Lock::none;    // transfer; of the window that `communicator` and `tag` name
  bool polled = false;       // a wait or probe that the program spun for with Test*/Iprobe (power: probing)
  bool memory_bound = false; // its computation (power)
  bool probes = false;       // a poll: with Iprobe or Improbe, not with Test* or Request_get_status
  // The program waits for what comes of the call: the engine decides it, and tells by
  // Timelines::answer(). A poll looks once, and may find something; a local call asks for the time.
  bool asked = false;
  // Asked, and nobody models what the call does: it may be waiting for other ranks once it is answered.
  bool away = false;
  Completes completes = Completes::all; // asked waits and polls
  bool keeps = false;                   // an asked poll leaves what is complete as it is (Request_get_status)
  bool freed = false;                   // forget: by Request_free, and what is under way goes on; else by Cancel
  bool even = false;                    // its calls took the same each, and so did what lay before each
  int peer = kProcNull; // world rank: destination of sends, the source that really happened for receives and probes
  int tag = 0;
  int receive_peer = kProcNull; // send_receive: its receive half
  int receive_tag = 0;
  double bytes = 0;              // payload of a send; posted size of a receive
  double reply_bytes = kNoReply; // transfer: what comes back; send_receive: posted size of its receive; storage: read
  std::uint32_t message = 0; // a probe that takes its message out, and the receive of that message (Mprobe, Mrecv); 0: neither
  std::uint32_t request = 0; // isend, ireceive, icollective, transfer: the id that they start (unique among the rank's live ones)
  // Collectives: which call of the other members belongs to it, on its communicator. kNotCounted:
  // the next in its timeline's order, which does not hold for those that several threads call, and
  // for persistent ones.
  std::uint32_t call_number = kNotCounted;
  std::vector<std::uint32_t> requests; // wait, forget; asked: also those of polls, 0 where the call names no active one
  std::shared_ptr<const Communicator> communicator; // null: MPI_COMM_WORLD is not meant either (local)
  std::shared_ptr<const Collective> collective;

  // What came before the call, and what it took, belongs to another operation of the same call.
  void forget_times() {
    compute = measured = base::Seconds(0.0);
    others_s = others_in_call_s = 0;
  }
};

// Returns: of how many durations that are alike Operation::compute is the sum.
inline std::uint64_t computations_of(const Operation& operation) { return operation.even ? operation.times : 1; }

inline bool is_file_access(const Operation& operation) {
  return operation.kind == OperationKind::storage || operation.kind == OperationKind::istorage;
}

// A receive from any source or with any tag has met its message.
struct Match {
  std::uint32_t request = 0; // that the receive started; 0: it is a blocking call
  int source = kProcNull;    // world rank
  int tag = 0;
  std::shared_ptr<const Communicator> communicator;
};

// What came of an asked operation.
struct Answer {
  base::Seconds time{0.0};         // virtual time at which the call returns
  bool found = true;               // polls: something is complete, or a message is there
  bool outside = false;            // what comes of the call only the library knows: nobody models what it is about
  bool away = false;               // the rank is to say when the call has returned
  int source = kProcNull;          // probes that found something: the message's, as a world rank
  int tag = 0;                     // the same
  std::vector<std::uint32_t> done; // waits and polls: which of Operation::requests are complete, as positions, ascending
  // Collectives: whether all have entered it; one of them has gone on before; the rank itself does.
  enum class Together : std::uint8_t { all, apart, ahead } together = Together::all;
  std::vector<Match> matches; // of the rank's receives since its last answer, in the order in which they were made
  // For so long of the rank's own (recorded) time nothing comes that the call has not seen; a poll
  // takes `poll` of it beside its own time. 0: unknown.
  base::Seconds quiet{0.0};
  base::Seconds poll{0.0};
  // The quiet lasts longer as other ranks get on (Bounds): whether it does, and how long a second
  // of the rank's own time takes. A poll takes its own time if `least_poll` is below 0, else that
  // at least.
  bool grows = false;
  bool messages = false; // the quiet holds for polls for messages alone
  double pace = 0;
  base::Seconds least_poll{-1.0};
};

// Before what instants nothing reaches the ranks of a coupled program: what is on its way by
// itself, and what each rank's next act brings, which takes `delay` to another one.
struct Bounds {
  double events = 0; // of what may concern any rank
  double delay = 0;
  double beside = 0;         // before a rank's poll looks, who polls beside it is to ask: both go on from there
  std::vector<double> acts;  // [rank]
  std::vector<double> comes; // [rank] of its own messages
};

// A set of timelines, one per calling thread of a rank. Implementations: recorded runs, live
// streams, tests' vectors.
class Timelines {
public:
  Timelines() = default;
  Timelines(const Timelines&) = delete;
  Timelines& operator=(const Timelines&) = delete;
  virtual ~Timelines() = default;
  [[nodiscard]] virtual int ranks() const = 0;
  // Number of timelines; at least ranks(). Timeline r < ranks() is rank r's main thread; further
  // ones are extra threads.
  [[nodiscard]] virtual int timelines() const = 0;
  [[nodiscard]] virtual int rank_of(int timeline) const = 0;
  // Puts the next operation of a timeline into `out`. Blocks while a live program has not produced
  // it yet.
  // Returns: false when the timeline has ended.
  virtual bool next(int timeline, Operation& out) = 0;
  // Where the next operation of a timeline is like the last one but for its times and its request:
  // makes it of `last`, which holds that one as it was given. Returns: false where it is not, or
  // ended; next() tells.
  virtual bool next_alike(int /*timeline*/, Operation& /*last*/) { return false; }
  // Returns: whether next() will not block any more. For who calls next().
  [[nodiscard]] virtual bool complete() { return true; }

  // Returns: whether there may be asked operations.
  [[nodiscard]] virtual bool asks() const { return false; }
  // Of a timeline whose rank is away: whether it has returned from its call, and next() blocks for
  // what it computes alone.
  // `waits`: unless it does, for a while.
  [[nodiscard]] virtual bool has_come(int /*timeline*/, bool /*waits*/) { return true; }
  // What came of the asked operation that next() gave last for that timeline.
  virtual void answer(int /*timeline*/, const Answer& /*answer*/) {}
  // Whether ranks can tell one another how far they are.
  [[nodiscard]] virtual bool shares() const { return false; }
  // Tells all ranks. What they read before stays true until one of them acts.
  virtual void share(const Bounds& /*bounds*/) {}
  // Returns: how far the rank says that it is; it acts no sooner.
  [[nodiscard]] virtual double reached(int /*rank*/) const { return 0; }
  // What a main timeline's rank has done since the operation that next() gave last, where it has
  // only polled and asks now: the last of them is the asked one. Empty: it does not, or that
  // operation is the asked one. Valid until the timeline's next().
  [[nodiscard]] virtual std::span<const Operation> until_question(int /*timeline*/) { return {}; }

  // Fetches into the cache what next() of a timeline will look at.
  virtual void fetch(int /*timeline*/) const {}
};

} // namespace farcast::trace
