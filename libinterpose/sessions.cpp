#include "libinterpose/sessions.h"

#include "libinterpose/library.h"
#include "libinterpose/process.h"

#include <atomic>

namespace farcast::interpose {
namespace {

std::atomic<int> open_sessions{0};
std::atomic<bool> any_session{false};
std::atomic<bool> any_communicator{false};
std::atomic<bool> explained{false};

bool is_unrecorded() {
  return process.header != nullptr && !process.saw_init && process.recording.load(std::memory_order_relaxed);
}

void explain() {
  if (!is_unrecorded() || explained.exchange(true)) return;
  tell_first("the program uses MPI through sessions (MPI_Session_init) and never calls MPI_Init", "such a job is not recorded");
}

// Programs that leave their sessions open, and such that have asked MPI something and never started it.
__attribute__((destructor)) void at_exit() {
  if (any_session.load(std::memory_order_relaxed))
    explain();
  else if (is_unrecorded() && was_exec_target())
    tell_first("the program ended without a call to MPI_Init", "nothing to predict");
}

} // namespace

bool world_is_open() { return process.saw_init && !process.finalized; }

void session_began(int code) {
  if (code != MPI_SUCCESS) return;
  load_constants();
  open_sessions.fetch_add(1, std::memory_order_relaxed);
  any_session.store(true, std::memory_order_relaxed);
}

// A session that only asked (for process sets, say) is no reason to speak: MPI_Init may still come.
void session_ended(int code) {
  if (code == MPI_SUCCESS && open_sessions.fetch_sub(1, std::memory_order_relaxed) == 1 && has_session_communicators()) explain();
}

int open_session_count() { return open_sessions.load(std::memory_order_relaxed); }

void note_session_communicator() { any_communicator.store(true, std::memory_order_relaxed); }

bool has_session_communicators() { return any_communicator.load(std::memory_order_relaxed); }

} // namespace farcast::interpose
