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
};
// Waits until the announced call is decided, and posts the receives that have been decided meanwhile.
Decided await_answer(Call& call, int source = MPI_PROC_NULL, int tag = 0);
// Returns: ticks of one look at the library, which a poll would have taken.
std::uint64_t look_once();

// Starts a message from a copy of its data. Returns: an MPI error code.
int send_copy(const void* buffer, std::int64_t count, MPI_Datatype type, int destination, int tag, MPI_Comm comm);
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
