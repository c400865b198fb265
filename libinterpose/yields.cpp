// sched_yield, measured where an MPI library calls it.
//
// Where ranks outnumber cores Open MPI gives its core to others at the end of each idle round of its
// progress engine (mpi_yield_when_idle, set by mpirun), and so does MPICH for us (idle.cpp): a poll
// that takes 0.1 us lasts as long as a round of all ranks on the core, and takes two context switches.
// On a core of its own it does neither, so this is no time of the poll's (Call::poll_aside). Only
// inside recorded calls; everything else passes through.
#include "libinterpose/real.h"
#include "libinterpose/thread.h"

namespace farcast::interpose {
namespace {
constinit Real<int (*)()> next_yield{"sched_yield"}; // the C library's, or that of libfarcast-idle.so
}
} // namespace farcast::interpose

extern "C" __attribute__((visibility("default"))) int sched_yield() {
  using namespace farcast::interpose;
  Thread* const thread = current;
  if (thread == nullptr || thread->frame == nullptr || fixed_clock != nullptr) return next_yield.get()();
  const std::uint64_t before = clock_ticks();
  const int code = next_yield.get()();
  const std::uint64_t took = clock_ticks() - before;
  thread->yielded_ticks += took;
  thread->aside.yielded_ticks += took;
  return code;
}
