// libfarcast-idle.so: lets a rank that waits inside MPI sleep instead of polling (`--isolate`), or
// give its core away (with MPICH: `--coupled`, and where ranks outnumber cores). Preloaded then only.
//
// MPI libraries poll while they wait, with the whole core. Open MPI calls sched_yield after an idle
// round of its progress loop (mpi_yield_when_idle, which `farcast exec --isolate` sets), MPICH over
// UCX asks ucp_worker_progress and never yields. Both calls are ours here: while libfarcast says
// that the calling thread waits in MPI, a row of idle rounds turns into short sleeps; or each of
// MPICH's into a sched_yield, which is libfarcast's and measured. Everything else passes through. No
// state but one word per thread, no allocation, no C++ runtime.
#include "libinterpose/idle_word.h"

#include <cerrno>
#include <ctime>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FARCAST_EXPORT __attribute__((visibility("default")))

namespace {

using farcast::interpose::kPollsOn;
using farcast::interpose::kWaits;
using farcast::interpose::kYields;

constexpr unsigned kBriefRounds = 200; // idle rounds before the first sleep: what is about to arrive is not slept over
constexpr long kShortestNs = 20'000;
constexpr long kLongestNs = 200'000;

// Of idle_word.h; kWaits + n: waiting, n idle rounds so far. Written by libfarcast around each call
// that may wait.
thread_local unsigned idle_rounds __attribute__((tls_model("initial-exec")));

// One more idle round. Returns: it was slept over.
bool sleep_over_idle_round() {
  if (++idle_rounds <= kBriefRounds) return false;
  const unsigned beyond = idle_rounds - kBriefRounds;
  const long pause = kShortestNs * static_cast<long>(beyond);
  const timespec time{0, pause < kLongestNs ? pause : kLongestNs};
  if (pause >= kLongestNs) --idle_rounds; // stays where it is
  const int saved = errno;
  nanosleep(&time, nullptr);
  errno = saved;
  return true;
}

} // namespace

extern "C" FARCAST_EXPORT unsigned* farcast_idle_word() { return &idle_rounds; }

extern "C" FARCAST_EXPORT int sched_yield() {
  if (idle_rounds != kPollsOn && idle_rounds != kYields && sleep_over_idle_round()) return 0;
  return static_cast<int>(syscall(SYS_sched_yield));
}

extern "C" FARCAST_EXPORT unsigned ucp_worker_progress(void* worker) {
  using Function = unsigned (*)(void*);
  static Function real; // the same for all threads; found again at worst
  Function function = __atomic_load_n(&real, __ATOMIC_RELAXED);
  if (function == nullptr) {
    void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (found == nullptr) { // loaded with RTLD_LOCAL, as a part of an MPI library's plug-in
      void* library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
      if (library != nullptr) found = dlsym(library, "ucp_worker_progress");
    }
    if (found == nullptr) return 0;
    function = reinterpret_cast<Function>(found);
    __atomic_store_n(&real, function, __ATOMIC_RELAXED);
  }
  const unsigned count = function(worker);
  if (idle_rounds == kYields) {
    if (count == 0) sched_yield();
  } else if (idle_rounds != kPollsOn) {
    if (count != 0)
      idle_rounds = kWaits;
    else
      sleep_over_idle_round();
  }
  return count;
}
