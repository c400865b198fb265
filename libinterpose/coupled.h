// Coupled mode (FARCAST_COUPLED): the program gets the outcomes and the time of a virtual cluster.
//
// A call whose outcome hangs on time is announced, and its thread waits until the predictor has decided it
// in virtual time; then the real call is made to match. So no rank ever waits inside the real library for
// something that has not happened in virtual time, and nothing there hangs for it:
//   - sends go out from a private copy and are over at once; a non-blocking one leaves a finished request;
//   - a receive from any source or with any tag is deferred: it gets a placeholder (a generalized request,
//     which every call of MPI understands) and is really posted once its message is decided; so is every later
//     receive on its communicator until then, for the library would give it the wrong message;
//   - collectives are entered once they are over for this rank in virtual time;
//   - who waits for an answer sleeps, and drives the library's progress in between.
// One thread per rank takes part (MPI_THREAD_FUNNELED at most). This is no hot path: it allocates.
#pragma once

#include "libinterpose/recorder.h"

#include <cstdint>

namespace farcast::interpose {

extern constinit bool is_coupled;
inline bool coupled() { return __builtin_expect(is_coupled, 0); }
// After MPI_Init, in a world of that size: this rank takes part, if it was asked to and can.
void begin_coupling(int world_size, bool multithreaded);
// Before MPI_Finalize: what was sent has left its private copy.
void end_coupling();

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
};

struct PolledFor { // what a poll asks for, as a repetition of it is told (Call::begin_poll)
  std::uint16_t function;
  std::uint64_t key;
  std::int32_t peer;
  std::int32_t tag;
  bool operator==(const PolledFor&) const = default;
};

// The polls that found nothing, as long as nothing can have come for them: the rank answers these itself. Any call
// but polls, MPI_Wtime and local ones ends that.
class QuietPolls {
public:
  [[nodiscard]] bool holds(const PolledFor& what) const {
    if (clock_ticks() >= until_) return false;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (polls_[i] == what) return true;
    }
    return false;
  }
  // Such a poll has been answered.
  void polled() { until_ = until_ > poll_ticks_ ? until_ - poll_ticks_ : 0; }
  void end() { until_ = count_ = 0; }
  // The predictor has answered a poll that found nothing.
  void begin(const PolledFor& what, const Decided& decided) {
    go_on(decided);
    const std::uint32_t place = count_ < kMost ? count_++ : kMost - 1;
    polls_[place] = what;
  }
  // It has answered what changes nothing: what was quiet until now goes on being so.
  void go_on(const Decided& decided);

private:
  static constexpr std::uint32_t kMost = 16;
  std::uint64_t until_ = 0; // ticks
  std::uint64_t poll_ticks_ = 0;
  std::uint32_t count_ = 0;
  PolledFor polls_[kMost] = {};
};
extern constinit QuietPolls quiet;
// Waits until the announced call is decided, and posts the receives that have been decided meanwhile.
Decided await_answer(Call& call, int source = MPI_PROC_NULL, int tag = 0);
// One look at what has come, as a poll takes it. Returns: its ticks.
std::uint64_t look_once();

// Starts a message from a copy of its data. Returns: an MPI error code.
int send_copy(const void* buffer, std::int64_t count, MPI_Datatype type, int destination, int tag, MPI_Comm comm);
// A collective that some member leaves before all have entered it: every member starts it without waiting, with
// `start(data, request)`, and waits for it, but for who goes ahead: that one leaves a copy of its data. Returns: an
// MPI error code.
struct LeftData { // what the call takes from its caller
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
};
int start_apart(const Decided& decided, const LeftData& data, int (*start)(void* state, const void* data, MPI_Request* request),
                void* state);
template <class Start> int collective_apart(const Decided& decided, const LeftData& data, Start start) {
  return start_apart(
      decided, data,
      [](void* state, const void* from, MPI_Request* request) { return (*static_cast<Start*>(state))(from, request); }, &start);
}
// Makes a request that is complete.
int finished_request(MPI_Request* request);
// Returns: whether a receive has to wait for its message to be decided.
bool is_deferred(int source, int tag, MPI_Comm comm);
int defer_receive(void* buffer, std::int64_t count, MPI_Datatype type, MPI_Comm comm, MPI_Request* request);
int receive_now(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status);
// A receive is cancelled in virtual time. Returns: whether it had a placeholder; else it is to be cancelled really.
bool cancel_deferred(MPI_Request request);
// Completes a request that is complete in virtual time.
int complete(MPI_Request* request, MPI_Status* status);
int complete_status(MPI_Request request, MPI_Status* status); // and leaves it
double virtual_wtime(double time_s);

} // namespace farcast::interpose
