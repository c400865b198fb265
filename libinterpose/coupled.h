// Coupled mode (FARCAST_COUPLED): the program gets the outcomes and the time of a virtual cluster.
//
// A call whose outcome hangs on time is announced, and its thread waits until the predictor has
// decided it in virtual time; then the real call is made to match. So no rank ever waits inside the
// real library for something that may not happen before what virtual time waits for, and nothing
// there hangs for it:
//   - sends go out from a private copy and are over at once; a non-blocking one leaves a finished
//     request;
//   - a receive from any source or with any tag is deferred: it gets a placeholder (a generalized
//     request, which every call of MPI understands) and is really posted once its message is
//     decided; so is every later receive on its communicator until then, for the library would give
//     it the wrong message;
//   - so it is with persistent ones, at each start (coupled_persistent.cpp);
//   - collectives are entered once they are over for this rank in virtual time; those that are
//     started, and that a member may complete before all have entered, are messages
//     (coupled_started.cpp);
//   - messages of which it is known what they are are waited for really, with no answer: ranks go on
//     ahead of virtual time, and compute side by side;
//   - who waits sleeps, and drives the library's progress in between.
// Where no answer will come any more (the predictor is gone, or not all ranks have it), the rank
// goes on alone: calls are made as they stand, what was deferred is posted, and stands in place of
// its placeholder in each call (RealRequests); or it ends the program (--on-fault).
// One thread per rank takes part, the one that called MPI_Init. Where several may call MPI
// (MPI_THREAD_SERIALIZED, _MULTIPLE) the user has to say that one does (--one-thread): at the first
// call of another one that the predictor would have to know of, the program ends. This is no hot
// path: it allocates.
#pragma once

#include "libinterpose/coupled_collectives.h" // IWYU pragma: export
#include "libinterpose/grown_list.h"
#include "libinterpose/quiet_polls.h" // IWYU pragma: export
#include "libinterpose/recorder.h"

#include <atomic>
#include <cstdint>

namespace farcast::interpose {

extern constinit bool is_coupled;
extern constinit bool alone; // nobody answers any more
inline bool coupled() { return __builtin_expect(is_coupled, 0); }
// After MPI_Init, as that rank of a world of that size: it takes part, if it was asked to and can.
void begin_coupling(int rank, int world_size, bool multithreaded);
[[noreturn]] void give_up_threads();
// Whether calls are announced, and answered.
inline bool asks() { return coupled() && !alone; }
// The same of a call that is to be. Ends the program where it is another thread's.
inline bool asks(Call& call) {
  if (!asks()) return false;
  if (!call.thread().first) give_up_threads();
  return true;
}
// Returns: whether it is the thread that takes part.
inline bool takes_part() { return current != nullptr && current->first; }
// Returns: whose progress a call on that rank's part of the window may need: for an Access.
int accessed_by(MPI_Win win, int rank);
// Before MPI_Finalize: what was sent has left its private copy. From then on clocks go on by this
// machine's, from the virtual time at which it was entered: `finalized`; null: none was asked for.
struct Decided;
void end_coupling(const Decided* finalized = nullptr);

// A call is not recorded. Ends the program where that is for good: nobody would answer it.
void give_up_unrecorded();

// What came of an announced call.
struct Decided {
  bool found;              // polls: something is complete, or a message is there
  int source;              // receives and probes: which message, where the call leaves it open
  int tag;                 // the same
  double time_s;           // virtual
  std::uint32_t count;     // positions of requests that are complete
  const std::uint32_t* at; // these, ascending; valid until the next call
  std::uint32_t together;  // Answer::together
  double quiet_s;          // Answer::quiet_s
  double poll_s;           // Answer::poll_s
  double pace;             // the same names there
  double least_poll_s;
  bool grows;
  bool messages;
  bool alone = false; // nobody has decided anything: the call is to be made as it stands
};

// Waits until the announced call is decided, and posts the receives that have been decided
// meanwhile. `apart`: the collective that the call is; it contributes once somebody goes ahead;
// null: it is none of these.
Decided await_answer(Call& call, int source = MPI_PROC_NULL, int tag = 0, Apart* apart = nullptr);
// Of MPI_Finalize: a rank that gets none leaves all the same.
Decided await_last_answer(Call& call);
// The real call behind an answer has returned, for the predictor to know where it asks for that.
void come_back();
// One look at what has come, as a poll takes it, in a recorded call. Returns: its ticks, without those
// that the library yielded.
std::uint64_t look_once();
void take_look(); // the same, where nobody asks

// Says why, and ends the program.
[[noreturn]] void give_up(const char* why);

// Returns: whether the engine knows all members of the communicator, and plays what is on it.
bool is_played(MPI_Comm comm);

// Frees the copies of what has left.
void sweep_sent();
bool any_sent();
// Returns: whether so much is under way from copies that a blocking send is to wait for its answer,
// as it does in virtual time.
bool owes_much();
// Starts a message from a copy of its data. Returns: an MPI error code.
int send_copy(const void* buffer, std::int64_t count, MPI_Datatype type, int destination, int tag, MPI_Comm comm);
// The same to several: one copy, as long as one of them is under way. Of at least one element.
class SentCopy {
public:
  struct Memory;
  SentCopy(const void* buffer, std::int64_t count, MPI_Datatype type, MPI_Comm comm);
  SentCopy(const SentCopy&) = delete;
  SentCopy& operator=(const SentCopy&) = delete;
  ~SentCopy();
  [[nodiscard]] int code() const { return code_; } // an MPI error code: there is no copy
  int send(int destination, int tag, MPI_Comm comm);
  static void release(Memory* memory);

private:
  Memory* memory_ = nullptr;
  const void* buffer_ = nullptr;
  std::int64_t count_ = 0;
  MPI_Datatype type_{};
  int code_ = MPI_SUCCESS;
};
// Makes a request that is complete; one that the program gets in place of the library's.
int finished_request(MPI_Request* request);
int start_placeholder(MPI_Request* request);
void set_empty(MPI_Status* status, bool cancelled);
// Returns: whether a receive has to wait for its message to be decided.
bool is_deferred(int source, int tag, MPI_Comm comm);
// Returns: whether there is one on the communicator.
bool has_undecided(MPI_Comm comm);
// The program frees a communicator, also without --coupled; `real`: the library's own. One on which
// something is still to be really begun stays as long as that.
int free_comm(MPI_Comm* comm, int (*real)(MPI_Comm*));
void free_left();
bool is_sent_on(MPI_Comm comm); // messages that have not left; Open MPI 4.1 forgets the communicator under them
struct Receive {
  void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  int source;
  int tag;
  MPI_Comm comm;
};
int defer_receive(const Receive& receive, MPI_Request* request);
// The same of a persistent receive that is started; it is posted at once where it need not wait.
int defer_started(const Receive& receive, MPI_Request request);
// Requests of which it is known what completes them, whatever comes first elsewhere: receives that
// were really posted, sends. The rank waits for these really. (A few may be taken for others: those
// are asked for.) Of a message that has been started on `comm`:
void note_determined(MPI_Request request, MPI_Comm comm);
void forget_determined(MPI_Request request);
bool is_determined(int source, int tag, MPI_Comm comm); // the same of a receive
bool are_determined(int count, const MPI_Request* requests);
// Announces a call that returns when its messages are there.
void announce_ahead(Call& call);
// Waits for one of them. Returns: an MPI error code.
int complete_ahead(MPI_Request* request, MPI_Status* status);
// A message has been sent: wakes its receiver, which may be waiting for it really.
void wake_receiver(int destination, MPI_Comm comm);
// `ahead`: what it receives has perhaps not come in virtual time.
int receive_now(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status,
                bool ahead = false);
// Posts the receive with that placeholder, whose message is decided.
void post_decided(const stream::AnswerMatch& match);
bool any_deferred();
// Posts all others, in their order, as the program asked for them.
void post_undecided();
// Persistent messages. `what` of a send: its source is the destination. Return: an MPI error code.
int make_persistent_send(const Receive& what, MPI_Request* request);
int make_persistent_receive(const Receive& what, MPI_Request* request);
int start_persistent(MPI_Request* request); // any persistent request
void forget_persistent(MPI_Request request);
bool any_persistent();
bool is_persistent_on(MPI_Comm comm);
// A receive is cancelled in virtual time. Returns: whether it had a placeholder; else it is to be
// cancelled really.
bool cancel_deferred(MPI_Request request);
// The program frees the request.
void forget_deferred(MPI_Request request);
// Completes a request that is complete in virtual time.
int complete(MPI_Request* request, MPI_Status* status);
int complete_status(MPI_Request request, MPI_Status* status); // and leaves it
double virtual_wtime(double time_s);
// Seconds that virtual time was behind the machine's, as far as is known to others than who takes part.
extern constinit std::atomic<double> told_behind;
double machine_wtime();
// Goes on from there by this machine's clock.
double wtime_alone();

// Before a collective that some may have left before all have entered it: ends the program where it
// would hang.
void meet_alone();

// Of a rank that goes on alone: as long as it lives the library's own requests stand in place of
// their placeholders, for one of its calls. Of others it changes nothing.
class RealRequests {
public:
  RealRequests(int count, MPI_Request* requests);
  RealRequests(const RealRequests&) = delete;
  RealRequests& operator=(const RealRequests&) = delete;
  ~RealRequests();

private:
  struct Exchanged {
    int index;
    MPI_Request placeholder;
  };
  MPI_Request* requests_;
  List<Exchanged> exchanged_{};
};
int get_status_alone(MPI_Request request, int* flag, MPI_Status* status);

} // namespace farcast::interpose
