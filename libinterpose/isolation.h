// This rank's part in `--isolate K`: at most K ranks of the node compute at a time.
//
// A token is taken on leaving an MPI call that may wait, and given back on entering one
// (stream/gate.h). The thread that called MPI_Init takes part; other threads of the rank go on as
// they are. While a call waits, the rank holds no token and should not burn its core either:
// libfarcast-idle.so, preloaded beside us, lets MPI's progress loop sleep (idle.cpp). Without
// --isolate all of this is one test of a flag, in calls that may wait only.
// With --coupled, and where ranks outnumber the node's cores, a rank of MPICH's gives its core away
// instead, wherever the library finds nothing to do, in the thread that called MPI_Init. (Open MPI does
// so by itself: mpi_yield_when_idle.)
// Invariant: whoever stops recording, forks, finalizes or loses the predictor leaves the gate for
// good, and holds no token then.
#pragma once

#include "libinterpose/idle_word.h"
#include "libinterpose/stream/protocol.h"

#include <atomic>
#include <cstdint>
#include <utility>

namespace farcast::interpose {

struct Thread;

extern std::atomic<bool> isolated; // this rank takes part
extern unsigned* (*idle_word)();   // of idle_word.h, for the calling thread; null without that library

// Asks the predictor, to whom hello was sent, for a seat. Returns: it got one; `isolated` stays
// false until MPI_Init has ended.
bool join_gate(int socket, std::uint32_t tokens);
// MPI_Init has ended in `thread`: takes the first token.
void begin_isolation(Thread& thread);
// Leaves for good; gives the token back unless a child of fork asks.
void end_isolation(bool give_back);

// The slow halves of what stands around the real call.
// Returns: the rank had its turn; else something around this has given it back, and takes it again.
bool begin_waiting(Thread& thread);
// `row`: fruitless polls that this one repeats.
void begin_polling(Thread& thread, std::uint64_t row);
void end_waiting(Thread& thread);
// What a rank does while it waits for its turn, whose progress others may need; null: nothing. Returns:
// they do.
extern bool (*owed_progress)();

// For the calling thread, which calls MPI_Init, from now on: an idle round of the MPI library gives the
// core away where it does not wait apart, if the program is coupled or its ranks outnumber the cores.
void yield_when_idle(bool coupled);
// While it lives, the library polls on: a poll is what it is on a core of its own.
class PollsOn {
public:
  PollsOn() : was_(idle_word == nullptr ? kPollsOn : std::exchange(*idle_word(), kPollsOn)) {}
  ~PollsOn() {
    if (idle_word != nullptr) *idle_word() = was_;
  }
  PollsOn(const PollsOn&) = delete;
  PollsOn& operator=(const PollsOn&) = delete;

private:
  unsigned was_;
};

inline bool waits_apart() { return __builtin_expect(isolated.load(std::memory_order_relaxed), 0); }

} // namespace farcast::interpose
