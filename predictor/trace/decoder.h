// Recorded calls of one rank -> operations of its timelines.
//
// In: the rank's recording. Out: a queue of operations per thread. Wildcard receives are held back
// until the call that completed them shows which message they took; everything behind them waits
// too, so operations stay in order. Polls are held back until it is known whether they waited
// (poll_row.h).
// Several threads (multithreaded ranks) are merged by their tickets to resolve requests, and come
// out on a timeline each.
// Threads: one reader at a time. Requires: for multithreaded ranks, all streams are closed.
#pragma once

#include "predictor/trace/call_reader.h"
#include "predictor/trace/comm_table.h"
#include "predictor/trace/function_info.h"
#include "predictor/trace/poll_row.h"
#include "predictor/trace/queue.h"
#include "predictor/trace/recording.h"
#include "predictor/trace/repeated_operations.h"
#include "predictor/trace/request_table.h"
#include "predictor/trace/sites.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace farcast::trace {

// As operations have it, of a record.
inline double bytes_of(std::uint64_t bytes) { return static_cast<double>(bytes); }

struct QueuedOperation {
  Operation operation;
  std::shared_ptr<WildcardOutcome> wildcard; // null: complete as it stands
  std::uint64_t from = 0;                    // ticks: its computation lies from..to; equal: it has none
  std::uint64_t to = 0;
  RepeatedOperations repeated{}; // those that follow it
  [[nodiscard]] bool ready() const { return wildcard == nullptr || wildcard->resolved; }
};

class Decoder {
public:
  // coupled: for the engine that answers a coupled run (Recording::coupled): announced calls are
  // asked operations.
  Decoder(Recording& recording, RankRecording& rank, SiteTable& sites, CommRegistry& comms, bool coupled = false);

  [[nodiscard]] std::size_t threads() const { return threads_.size(); }
  // From now on operations of repeated calls come folded where that is possible: repeated() has
  // those that follow the one that next() gave. Requires: nobody asks for computed().
  void keep_folded() { folded_ = threads_.size() == 1 && !coupled_; }
  // Returns: false when that thread's timeline has ended.
  bool next(std::size_t thread, Operation& out);
  // Timelines::has_come(), of the first thread of a coupled rank.
  [[nodiscard]] bool has_come(bool waits) const {
    const Thread& first = threads_.front();
    return !first.queue.empty() || first.has_head || first.ended || first.reader->has_come(waits);
  }
  [[nodiscard]] const RepeatedOperations& repeated() const { return repeated_; }
  // Returns: from and to of the computation of the operation that next() gave last.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> computed() const { return computed_; }
  [[nodiscard]] std::uint64_t slots_read() const;
  // Returns: whether outcomes of calls so far hung on timing, and are as they were recorded.
  [[nodiscard]] bool outcomes_hung_on_timing() const { return hung_on_timing_; }
  // Returns: the handle that the program has for a deferred receive; 0: unknown.
  [[nodiscard]] std::uint64_t deferred_handle(std::uint32_t request) const {
    const auto found = deferred_.find(request);
    return found == deferred_.end() ? 0 : found->second;
  }

private:
  struct Thread {
    std::unique_ptr<CallReader> reader;
    Queue<QueuedOperation> queue;
    RecordedCall head; // the call that was read and not yet translated
    bool has_head = false;
    bool ended = false;
    bool started = false; // MPI_Init has returned
    std::uint64_t last_exit = 0;
    std::uint32_t last_site = 0;
    bool has_last_site = false;
    PollRow polls; // come before whatever is queued next
  };

  struct Done { // a request that a call has completed
    std::uint64_t handle;
    const stream::StatusEntry* status; // null: not known
  };

  bool advance(std::size_t wanted);
  bool read_head(Thread& thread);
  std::size_t pick();
  void end_of_streams();
  void translate(Thread& thread, const RecordedCall& call);
  void define_communicators(const RecordedCall& call, const FunctionInfo& info);
  void fold_repetitions(Thread& thread);
  [[nodiscard]] RepeatedOperations::Times seconds_of(const Repetitions::Times& times, std::uint64_t less) const;
  void local(Thread& thread, const FunctionInfo& info, Operation&& operation);
  void translate_by_group(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);

  // One per group of classes; each appends to thread.queue.
  Operation prepare(Thread& thread, const RecordedCall& call);
  void push(Thread& thread, Operation&& operation, std::shared_ptr<WildcardOutcome> wildcard = nullptr);
  // Tags of messages of the model's own, downwards from these and kGeneralizedTag: TI traces know no
  // communicators of messages.
  static constexpr int kEpochTag = -1000; // two for each window of a communicator
  static constexpr int kLeadersTag = -1'000'000;
  // What is left of a call whose first half has been pushed: it was counted, and so was what came
  // before it.
  static void continue_call(Operation& operation) {
    operation.forget_times();
    operation.times = 0;
  }
  void message(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void matched_receive(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void exchange(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void post_send(Thread& thread, Operation&& operation, Request& request);
  void begin_message(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void fruitless(Thread& thread, const RecordedCall& call, Operation&& operation);
  void end_polls(Thread& thread, const RecordedCall& call, Operation& operation);
  static void queue_polls(Thread& thread);
  void probe(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void persistent(const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void start(Thread& thread, const RecordedCall& call, Operation&& operation);
  void completion(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void collective(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void agreement(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void create_intercomm(Thread& thread, const RecordedCall& call, Operation&& operation);
  void generalized_request(Thread& thread, const RecordedCall& call, Operation&& operation);
  void note_object(const RecordedCall& call, const FunctionInfo& info);
  void object_request(Thread& thread, const RecordedCall& call, Operation&& operation);
  void as_measured(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void storage(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void agree_later(Thread& thread, const RecordedCall& call, Operation& access, Request& request);
  void epoch(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void notify(Thread& thread, const std::vector<int>& ranks, Operation&& operation);
  void await(Thread& thread, const std::vector<int>& ranks, Operation&& operation);
  void window(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void access(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void lock(Thread& thread, const RecordedCall& call, int target, Operation&& operation);
  void unlock(Thread& thread, const RecordedCall& call, int target, Operation&& operation);
  void complete_accesses(Thread& thread, std::uint64_t window, int target, Operation& operation);

  // Coupled: a call at its entry, and once it has returned.
  void announce(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  // Returns: whether nobody knows who belongs to the communicator.
  [[nodiscard]] bool is_outside(std::uint32_t comm) const { return comm == stream::kSessionComm || comms_.is_foreign(comm); }
  void note_inside(const Operation& announced);
  void note_work(const Operation& announced);
  [[nodiscard]] base::Seconds inside(const RecordedCall& answer) const;
  void announce_message(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void announce_completion(Thread& thread, const RecordedCall& call, const FunctionInfo& info, Operation&& operation);
  void settle(Thread& thread, const RecordedCall& answer);
  void unlock_failed(Thread& thread, const RecordedCall& call);
  [[nodiscard]] int asked_peer(const RecordedCall& call, int peer) const;

  void set_peer(Operation& operation, const RecordedCall& call, int peer, int tag, bool take_status);
  void post_receive(Thread& thread, Operation&& operation, bool wildcard, Request& request);
  static void resolve(Request& request, int source, int tag);
  void list_done(const RecordedCall& call, const FunctionInfo& info, const stream::StatusEntry& own);
  void take_done(const Done& done, bool freed, std::vector<std::uint32_t>& waited);
  void finish_request(Request& request, const stream::StatusEntry* status, std::vector<std::uint32_t>& waited,
                      std::vector<std::uint32_t>& forgotten);
  // Returns: one of the model's own, of a few bytes from each rank.
  static std::shared_ptr<const Collective> of_few_bytes(CollectiveKind kind, int root = 0) {
    return std::make_shared<const Collective>(Collective{.kind = kind, .root = root, .send_bytes = 8, .receive_bytes = 8});
  }
  std::shared_ptr<const Collective> describe(const RecordedCall& call, const FunctionInfo& info, const KnownComm& comm) const;
  [[nodiscard]] base::Seconds seconds(std::uint64_t ticks) const;

  RankRecording& rank_;
  SiteTable& sites_;
  SiteResolver resolver_;
  CommTable comms_;
  RequestTable requests_;
  std::vector<Thread> threads_;
  struct SharedObject {
    std::uint32_t comm = 0;                            // rank-local communicator
    std::vector<std::pair<int, std::uint32_t>> open{}; // window: accesses under way: target as a world rank, request
    int number = 0;                                    // window: of those of its communicator, in order of creation
    std::vector<int> origins{};                        // window: world ranks that may access it until MPI_Win_wait
    std::vector<int> targets{};                        // window: world ranks that this one may access until MPI_Win_complete
    std::vector<std::pair<int, Lock>> locks{};         // window: held: target as a world rank (kUnknownPeer: all)
    std::uint32_t split = 0;                           // file: the request of the access that MPI_File_..._begin started; 0: none
  };
  void name_lock(const SharedObject& window, int target, Lock lock, Operation& operation) const;
  std::unordered_map<std::uint64_t, SharedObject> objects_; // windows and files
  std::unordered_map<std::uint32_t, int> windows_;          // how many a rank-local communicator has had
  struct MatchedMessage {
    int source = kUnknownPeer;
    int tag = 0;
    double bytes = 0;
    std::shared_ptr<const Communicator> communicator;
    std::uint32_t number = 0; // Operation::message
  };
  std::unordered_map<std::uint64_t, MatchedMessage> messages_;              // of Mprobe
  std::uint32_t taken_ = 0;                                                 // number of what the announced probe takes
  std::unordered_map<std::uint32_t, std::uint32_t> collectives_;            // communicator's id -> calls, with several threads
  std::unordered_map<std::uint32_t, std::uint32_t> persistent_collectives_; // -> persistent ones made
  std::uint64_t init_exit_ = 0;
  std::pair<std::uint64_t, std::uint64_t> preparing_{0, 0}; // computation of the call that is being translated
  std::pair<std::uint64_t, std::uint64_t> computed_{0, 0};
  RepeatedOperations repeated_; // of the operation that next() gave last
  double seconds_per_tick_;
  bool disconnect_waits_; // MPI_Comm_disconnect is a barrier
  bool coupled_;
  bool folded_ = false;
  bool hung_on_timing_ = false;
  RecordedCall announced_;                                    // coupled: the call under way
  Operation inside_;                                          // coupled: what of it is played when it has returned
  bool asks_nobody_ = false;                                  // coupled: the lock under way, which takes what it takes inside
  std::unordered_map<std::uint32_t, std::uint64_t> deferred_; // coupled: request -> handle of receives whose message is open
  std::vector<Done> done_;                                    // of the call that is being translated
  std::vector<std::uint32_t> forgotten_;
};

} // namespace farcast::trace
