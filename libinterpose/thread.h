// The state of one calling thread, and the two ends of a recorded call: the hot path.
//
// A recorded call makes two time stamps and one or more slot stores; everything else stands in the
// slow paths of thread.cpp.
// Invariants: (1) `frame` is the stack address of the outermost wrapper under way, null outside; a
// wrapper entered at a lower address is nested and passes through, unless the stack shows that the
// outer one was left by longjmp or an exception; one entered at the same or a higher address finds
// such a stale frame and takes over; (2) between calls `last` is the slot of the last call, whose
// results are complete.
#pragma once

#include "libinterpose/call_site.h"
#include "libinterpose/clock.h"
#include "libinterpose/counters.h"
#include "libinterpose/process.h"
#include "libinterpose/pushed_aside.h"
#include "libinterpose/stream/ring_writer.h"

#include <cstdint>

namespace farcast::interpose {

inline constexpr std::uint32_t kTypeCacheSize = 64;
inline constexpr std::uint32_t kCommCacheSize = 32;
inline constexpr std::uint32_t kKnownStacks = 4096;

struct TypeCacheEntry {
  std::uint64_t key;
  std::uint64_t size;
  std::uint32_t epoch;
};

struct CommInfo {
  std::uint32_t id;
  std::int32_t rank;
  std::int32_t size;
  std::int32_t remote_size; // 0: intra-communicator
  bool foreign;             // it has members that are not of MPI_COMM_WORLD
};

struct CommCacheEntry {
  std::uint64_t key;
  CommInfo info;
  std::uint32_t epoch;
};

struct OpenPoll {        // a fruitless poll that may be repeated
  stream::CallSlot call; // as it was recorded
  std::uint64_t calls;   // fruitless repetitions since, which have no record yet
  std::uint64_t compute_ticks;
  std::uint64_t in_ticks;
  std::uint64_t aside_ticks; // taken out of in_ticks: others had the core

  void add(std::uint64_t compute, std::uint64_t lasted, std::uint64_t aside) {
    ++calls;
    compute_ticks += compute;
    in_ticks += lasted - aside;
    aside_ticks += aside;
  }
};

struct RowKey { // arguments of a call as they were passed, so that comparing needs no look-ups
  std::uint64_t words[4];
  bool operator==(const RowKey&) const = default;
};

struct OpenRow { // repetitions of the last call
  std::uint16_t function;
  std::uint32_t epoch; // sum of those of datatypes and communicators: a freed handle's value may mean something else
  std::uint64_t site;
  std::uint64_t since; // t_enter of the first call
  RowKey key;
  stream::CallSlot* first;     // null: the last call is not one that repeats
  stream::Row* row;            // in the ring, as the rest; null before the first repetition
  stream::ExtensionSlot* list; // of started requests, the last slot; null before the first one
};

struct Thread { // in memory of its own: static TLS is taken from every stack of the host, so it holds one pointer
  void* frame;
  bool recording;
  bool first;    // of the rank's recording threads
  bool counting; // hardware counters are read around each call
  bool tells;    // coupled: its ring says when it enters and leaves calls
  std::uint64_t last_exit;
  std::uint32_t until_sample; // calls until the burst whose cost is measured has ended
  std::uint64_t front_ticks;  // of a call of that burst: from its entry stamp to the real call
  stream::CallSlot* last;
  std::uint32_t open_polls;
  OpenPoll polls[stream::kMostOpenPolls];
  OpenRow row;
  AsideClock aside;
  std::uint64_t yielded_ticks; // in sched_yield, since the poll that is under way was entered
  stream::RingWriter ring;
  SiteCaches sites;
  TypeCacheEntry types[kTypeCacheSize];
  CommCacheEntry comms[kCommCacheSize];
  CounterSet counters;
  std::uint64_t known_stacks[kKnownStacks]; // keys of stacks that the reader knows
  std::uint64_t known_handles[stream::kKnownHandles];
  std::uint64_t refused; // mirror of the ring's counter
};

extern __thread Thread* current __attribute__((tls_model("initial-exec")));

// Sets up this thread's ring at its first call. Returns: null when it cannot record, or the call
// does not count.
Thread* enter_thread(void* caller, const char* function);
// Counts a call that is not recorded because recording stopped. Returns: null.
Thread* refuse(Thread* thread, void* caller, const char* function);
void refuse_more(Thread& thread, std::uint64_t calls);
// The cost of recording is measured in bursts of calls: in the first of them the processor meets the
// measuring itself unexpectedly, which would count for more than a tenth of what is measured.
inline constexpr std::uint32_t kSampledPerBurst = 32;
inline constexpr std::uint32_t kCountedPerBurst = 16; // the last ones
inline constexpr std::uint32_t kCallsPerBurst = 8147; // a prime, so that it falls in step with no loop
static_assert(kCallsPerBurst / kCountedPerBurst == stream::kCallsPerSample);
// Right before the real call.
inline void note_front(Thread& thread, std::uint64_t enter) {
  if (__builtin_expect(thread.until_sample <= kSampledPerBurst, 0)) thread.front_ticks = clock_ticks() - enter;
}
// At the very end of a call of such a burst, after its exit stamp.
void take_sample(Thread& thread, std::uint64_t exit);
// A wrapper was entered below the frame of another one. Returns: that one was left by longjmp or an
// exception; it is forgotten.
bool is_left(Thread& thread, void* caller, const char* function);
// Ends recording after a failed reserve().
void out_of_room(Thread& thread);

// Returns: the state of the calling thread when this call is to be recorded, otherwise null.
inline Thread* enter(void* frame, void* caller, const char* function) {
  Thread* thread = current;
  if (__builtin_expect(thread == nullptr, 0)) return enter_thread(caller, function);
  if (__builtin_expect(thread->frame > frame, 0) && !is_left(*thread, caller, function)) return nullptr;
  if (__builtin_expect(!thread->recording, 0)) return refuse(thread, caller, function);
  return thread;
}

} // namespace farcast::interpose
