// The predictor's side of a running job on this node: accepts the ranks, drains their rings into a
// recording, notices their end.
//
// One thread (normal priority) does all of this; it never simulates. Where a program is coupled,
// the thread of its engine drains the ring of the rank that it waits for, between the rounds of the
// other one. Invariant: the list of loaded objects that a rank sent before it published a record is
// known before that record is drained.
#pragma once

#include "libinterpose/stream/protocol.h"
#include "libinterpose/stream/ring_reader.h"
#include "predictor/base/process_info.h"
#include "predictor/live/clock_board.h"
#include "predictor/live/isolation_gate.h"
#include "predictor/live/job_claims.h"
#include "predictor/live/job_socket.h"
#include "predictor/live/look_pace.h"
#include "predictor/live/module_list.h"
#include "predictor/trace/recording.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::live {

class LiveSession {
public:
  explicit LiveSession(trace::Recording& recording) : recording_(recording) {}
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;
  ~LiveSession();

  // Takes the job's name. Returns: false when another predictor has it.
  bool listen(const std::string& job);
  // One round: connections, messages, records; waits a little when there was nothing to do.
  void step();
  // Whether the ranks leave a core to others. While they do not, each look takes a core from one of
  // them: they are as few as the rings allow.
  [[nodiscard]] bool cores_idle() const { return ranks_here() < cores_; }

  [[nodiscard]] bool idle_since_start(std::chrono::seconds limit) const; // nobody ever came
  [[nodiscard]] bool all_ranks_known() const; // every rank of MPI_COMM_WORLD is here and has left MPI_Init
  [[nodiscard]] bool any_in_init() const;     // a process came, is still there and has not left MPI_Init
  [[nodiscard]] bool all_ended() const;       // every client that came has ended
  [[nodiscard]] bool any_multithreaded() const;
  [[nodiscard]] bool all_coupled() const; // every rank of the job waits for what comes of its calls
  [[nodiscard]] std::chrono::steady_clock::time_point last_arrival() const { return last_arrival_; }
  [[nodiscard]] std::size_t ranks_here() const { return ranks_here_; }
  [[nodiscard]] int first_pid() const; // of a rank, or, before any is known, of who came first; 0: nobody yet
  // Sorts the recording's ranks; those without MPI_Init are dropped. Requires: the clients' streams
  // are being drained or closed.
  void order_ranks();
  // From now on who plays the first threads of all ranks gets their calls as soon as they are announced.
  // Returns: [rank] where the answers go. Requires: order_ranks() was called, with all ranks here.
  [[nodiscard]] std::vector<stream::Answer*> couple();
  // No answer will come to any rank of a coupled program: stream::kAlone, kEnds.
  void release(std::uint32_t why);
  // Nor to ranks that came when the job was known already: spawned ones, another program's.
  void release_strangers();
  struct LastCall { // of a rank's first thread
    int rank = -1;
    int pid = 0;
    trace::RankRecording* recording = nullptr;
    std::uint64_t site = 0;
    std::uint16_t function = 0;
  };
  // Returns: of every rank that is here, by rank.
  [[nodiscard]] std::vector<LastCall> last_calls() const;
  // Returns: slots that all ranks have published; it grows as long as any of them makes calls.
  [[nodiscard]] std::uint64_t slots_published() const;
  [[nodiscard]] ClockBoard& clocks() { return clocks_; }
  // A sign of life to the ranks that wait for the report, once a second however often it is called.
  void keep_alive();
  // A line to the ranks that wait, before the report.
  void say(std::string_view line);
  // A text to the ranks of a coupled program: whoever waits or ends first prints it.
  void tell_ranks(std::string_view text);
  // The report to the ranks that wait to print it. Returns: whether anybody got it.
  bool deliver(std::string_view report);
  // Who still waits goes on.
  void dismiss();
  // Returns: tokens of --isolate that were lent, because nobody gave one back for long.
  [[nodiscard]] std::uint32_t tokens_lent() const { return gate_.lent(); }

private:
  struct Client {
    int socket = -1;
    int file = -1;
    int pidfd = -1; // readable once the process has ended
    void* memory = nullptr;
    std::unique_ptr<trace::RankRecording> owned; // until order_ranks() hands it over
    trace::RankRecording* recording = nullptr;
    std::vector<stream::RingReader> readers;
    ModuleList modules;
    Claim claim;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    bool covered = false;   // it is the first to be that rank of the job
    bool finalized = false; // said so
    bool waits = false;     // for the report
    bool prints = false;    // it
    bool mute = false;      // its socket is closed
    bool gone = false;      // and so is the process
    bool ended = false;     // nothing more will be recorded
    bool corrupt = false;
    stream::CallSlot last_call{};      // of the first thread
    bool end_seen = false;             // the main thread's End slot has been drained
    std::optional<std::uint32_t> seat; // at the gate of --isolate
  };

  // Brings a coupled rank's calls as soon as the engine waits for them, on the engine's thread.
  class CallSource final : public trace::SlotSource {
  public:
    CallSource(LiveSession& session, Client& client, stream::RingHeader& ring)
        : session_(session), client_(client), stream_(*client.recording->threads.front()), ring_(ring), answer_(ring.answer) {}
    void fetch(std::uint64_t have) override;
    [[nodiscard]] bool is_back() const override {
      return answer_.back.load(std::memory_order_acquire) == answer_.given.load(std::memory_order_relaxed);
    }
    LastCall bring() override;

  private:
    LiveSession& session_;
    Client& client_;
    const trace::SlotStream& stream_;
    stream::RingHeader& ring_;
    stream::Answer& answer_;
    std::uint64_t brought_ = 0; // slots that were published then
  };

  void accept_client();
  bool receive_hello(Client& client);
  bool seat_client(Client& client, std::uint32_t tokens);
  bool show_clocks(const Client& client);
  void leave_gate(Client& client);
  void release(const Client& client, std::uint32_t why);
  bool read_messages(Client& client);
  [[nodiscard]] bool has_exited(const Client& client) const;
  std::uint64_t drain(Client& client);
  static void note_last_call(Client& client, std::span<const stream::Slot> slots);
  void drain_rest(Client& client);
  void read_header(Client& client);
  void settle_claims();
  void drop_strangers();
  void tell_waiting(stream::MessageKind kind, std::string_view body);
  template <class Which> std::vector<int> take_waiting(Which which);
  void note(std::string text);
  void finish(Client& client);
  int pause_ms(std::uint64_t slots, std::chrono::steady_clock::duration took);
  [[nodiscard]] stream::RankHeader& header(const Client& client) const {
    return *static_cast<stream::RankHeader*>(client.memory);
  }

  trace::Recording& recording_;
  JobSocket socket_;
  IsolationGate gate_;
  ClockBoard clocks_;
  mutable std::mutex mutex_; // of all below: the engine of a coupled run drains rings, too
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<CallSource>> sources_;
  std::size_t cores_ = base::usable_cores().size();
  bool has_cores_ = false; // coupled: one for each rank
  LookPace pace_;
  std::vector<pollfd> waiting_;
  std::size_t ranks_here_ = 0;
  std::uint32_t texts_ = 0; // that all ranks were told
  int program_of_ = -1;     // the process whose program the recording names
  bool somebody_came_ = false;
  bool settled_ = false; // the recording is being read: what the job is does not change any more
  std::chrono::steady_clock::time_point last_heartbeat_{};
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_arrival_ = started_;
};

} // namespace farcast::live
