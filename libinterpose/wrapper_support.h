// What the generated wrappers need beside recorder.h.
#pragma once

#include "libinterpose/other_threads.h"
#include "libinterpose/real.h"
#include "libinterpose/recorder.h"
#include "libinterpose/sessions.h"

#define FARCAST_EXPORT __attribute__((visibility("default")))

namespace farcast::interpose {

// Returns: the outcome of Waitany and Testany; an index that does not fit goes into an extension.
std::uint16_t index_outcome(Call& call, int code, const int* index);
// Records which requests Waitsome or Testsome completed.
void some_outcome(Call& call, int code, const int* outcount, const int* indices, StatusArray& statuses);
// Records who makes an inter-communicator: MPI_Intercomm_create's arguments, of which the last three
// mean something to the leader alone.
void leaders(Call& call, MPI_Comm local, int leader, MPI_Comm peers, int other, int tag);
// A coupled call has its answer: what it waited for that is none of the time that it takes.
void let_in(Call& call);
// Two arguments as one word of a RowKey.
inline std::uint64_t row_word(int a, int b) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) | static_cast<std::uint32_t>(b);
}
// Returns: whether a receive returns this because its buffer was too short: it has taken its
// message all the same.
bool is_truncation(int code);
// Returns: a collective that ended with this error had met the other ranks; only what is wrong with
// its own arguments is found before.
bool took_part(int code);
// Returns: a number that tells sets of requests apart.
std::uint64_t request_set_key(int count, const MPI_Request* requests);
// A Fortran binding that does its work without the C function. `names`: what it may stand for; the
// caller's name decides. Six references are handed on whatever the binding takes: the callee reads
// its own, and the calling convention allows it.
struct NamedFunction {
  std::uint16_t number;
  const char* name;
};
using FortranFunction = long (*)(void*, void*, void*, void*, void*, void*);
long call_fortran(const NamedFunction* names, int count, FortranFunction real, void* return_address, void* frame, void* a,
                  void* b, void* c, void* d, void* e, void* f);
// Around the real MPI_Init: constants and settings; our rank, the size, the library's version.
void start_watching();
void finish_init(Call& call, int code);
// Returns: MPI_Finalize was not recorded because recording stopped earlier, not because another
// wrapper is under way.
bool finalizes_unrecorded();
// After the real MPI_Finalize: completes the last call.
void publish_end(Call& call);

} // namespace farcast::interpose
