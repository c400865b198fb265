// The shared-memory file of one rank: a header page, one ring per calling thread, and the segments
// that the rings are made of.
//
// The rank creates the file (memfd: it needs no /dev/shm, leaves nothing behind and is not limited
// by its size), reserves blocks with posix_fallocate before it touches them, and hands the
// descriptor to the predictor over a socket. File layout:
//   0                      RankHeader (4 KiB)
//   kRingsOffset           RingHeader[kMaxThreads]
//   kSegmentsOffset        segments of kSegmentBytes, handed out in order, shared by all rings
//
// Invariants: (1) a segment belongs to one ring for good; (2) a ring's logical segment s lies in
// physical segment table[s % kMaxSegments], valid once a slot of it has been published; (3)
// published never decreases and counts slots; (4) the reader never moves drained past the last
// published Call slot that has no successor (record.h).
// The predictor validates every number that it reads here before it uses it.
#pragma once

#include "libinterpose/stream/record.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace farcast::stream {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::uint32_t kMaxThreads = 128;
inline constexpr std::uint32_t kMaxSegments = 2048; // of one ring at a time
inline constexpr std::size_t kSegmentBytes = std::size_t{512} * 1024;
inline constexpr std::uint32_t kMostCounters = 16; // hardware events of a run
inline constexpr std::size_t kCoreWords = 16;      // of 64 cores each: what a rank may use
inline constexpr std::uint64_t kSegmentSlots = kSegmentBytes / kSlotBytes;

enum class RankState : std::uint32_t {
  starting = 0,  // before MPI_Init returned
  running = 1,   // world_rank and world_size are valid
  finalized = 2, // MPI_Finalize was entered
  off = 3,       // recording was switched off: off_reason says why
};

struct RankHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::int32_t pid;
  std::atomic<std::uint32_t> state; // RankState
  std::int32_t world_rank;
  std::int32_t world_size;
  std::uint32_t cpu_clock;                         // 1: all time off the core counts as pushed aside (FARCAST_CPU_CLOCK)
  std::uint32_t multithreaded;                     // 1: MPI_THREAD_SERIALIZED or _MULTIPLE was provided
  std::uint32_t stack_depth;                       // frames per site; 1: return address only
  std::uint64_t overhead_ticks;                    // of one recorded call, outside of its two time stamps
  std::uint64_t call_cost_ticks;                   // of one recorded call in all: time stamps and record store
  std::atomic<std::uint32_t> threads;              // rings in use
  std::atomic<std::uint32_t> segments;             // physical segments handed out
  std::atomic<std::uint64_t> refused_without_ring; // calls of threads that got no ring
  std::atomic<std::uint64_t> tickets;              // next order number among threads
  char mpi_version[512];                           // MPI_Get_library_version, cut
  char off_reason[256];
  char counters[512];                      // names of hardware events with commas between; empty: none were asked for
  std::atomic<std::uint32_t> counters_off; // 1: they are unavailable, counters_note says why
  char counters_note[256];
  std::atomic<std::uint32_t> aside_partial; // 1: no run_delay to read: intervals with voluntary switches keep their time
  std::uint32_t isolate;                    // ranks of this node that may compute at a time (gate.h); 0: all
  std::atomic<std::uint32_t> open_sessions; // at MPI_Finalize: what the program goes on doing with them is not recorded
  std::atomic<std::uint32_t> peak_cores;    // most that were busy at a time, in hundredths; 0: no other thread computed
  std::uint32_t program_threads;            // at MPI_Finalize, without the MPI library's; 0: it was not reached
  std::uint32_t computing_threads;          // of these, that used the processor noticeably
  std::uint32_t coupled;                    // 1: the rank waits for what comes of its calls (coupled mode)
  std::uint32_t fixed_clock;                // 1: ticks are picoseconds of the program's own clock (FARCAST_FIXED_CLOCK)
  std::uint64_t cores[kCoreWords];          // that the rank's threads may use; all 0: unknown
};
static_assert(sizeof(RankHeader) <= kPage);

// What recording really costs is seen in one call of so many, on average.
inline constexpr std::uint32_t kCallsPerSample = 509;

// Coupled mode: what came of the thread's last announced call, in virtual time. Written by the
// predictor, but for `taken` and `asked`.
struct AnswerMatch {    // a deferred receive has met its message
  std::uint64_t handle; // the request that it started; 0: it is the call itself
  std::int32_t source;  // rank in its communicator
  std::int32_t tag;
};
// Collectives: whether each member may wait in the library for the others.
inline constexpr std::uint32_t kTogether = 0; // all have entered the call
inline constexpr std::uint32_t kApart =
    1; // one of them has gone on before; with `found` 0 and more to come: one does, and the thread goes on waiting
inline constexpr std::uint32_t kAhead = 2; // the thread itself does
// Why no answer will come any more.
inline constexpr std::uint32_t kDeadlock = 1; // all ranks wait for one another, or nothing is predicted
inline constexpr std::uint32_t kAlone = 2;    // not all ranks of the job are here: each goes on by itself
inline constexpr std::uint32_t kEnds = 3;     // nothing went on for --patience: the program ends
inline constexpr std::size_t kAnswerWords = 409;
struct Answer {
  std::atomic<std::uint32_t> given;   // announced calls that have been answered; a futex
  std::atomic<std::uint32_t> taken;   // pieces of answers that the thread has read, where `more` is set
  std::uint32_t found;                // polls: something is complete, or a message is there
  std::uint32_t more;                 // another piece follows once this one has been taken
  std::atomic<std::uint32_t> over;    // no answer will come any more, and why: 0, kDeadlock, kAlone or kEnds
  std::atomic<std::uint32_t> asked;   // counts what the predictor may wait for: announced calls, messages; a futex
  std::atomic<std::uint32_t> back;    // where `away` says so: `given` of the last call that has returned
  std::atomic<std::uint32_t> awaited; // 1: the predictor sleeps until `asked` changes
  std::int32_t source;                // probes: of the message, as a rank in the communicator
  std::int32_t tag;
  std::uint32_t together;   // collectives: kTogether, kApart or kAhead
  std::uint32_t done_count; // positions of requests that are complete, in `words` from 0 on
  std::uint32_t match_count;
  double time_s;           // virtual, since MPI_Init
  double quiet_s;          // for so long of the thread's own time nothing comes for it that the call has not seen
  double poll_s;           // what a poll takes of that beside its own time
  double pace;             // virtual seconds that a second of the thread's own time takes
  double least_poll_s;     // virtual: what a poll takes at least; below 0: its own time
  std::uint32_t grows;     // 1: the quiet lasts longer as other ranks get on (clocks.h)
  std::uint32_t messages;  // 1: it holds for polls for messages alone
  std::uint32_t away;      // 1: the thread is to say when the call has returned
  std::uint32_t outside;   // 1: nobody models what the call is about, and what comes of it only the library knows
  AnswerMatch matches[16]; // in the order in which they were made
  std::uint32_t words[kAnswerWords];
};

struct RingHeader {
  alignas(64) std::atomic<std::uint64_t> published; // slots visible to the reader
  std::atomic<std::uint64_t> refused;               // calls that were not recorded after recording was switched off
  std::atomic<std::uint64_t> sampled_calls;         // calls whose cost was measured
  std::atomic<std::uint64_t> sampled_ticks;         // that cost, in all
  std::atomic<std::uint64_t> grow_ns;               // spent on getting new segments, in all
  std::int32_t thread_id;
  // Coupled: ticks at which the thread entered, and left, its last call; `entered` past `left`: it is
  // in one. Calls that are folded are one.
  std::atomic<std::uint64_t> entered;
  std::atomic<std::uint64_t> left;
  alignas(64) std::atomic<std::uint64_t> drained;             // slots that the reader has copied
  alignas(64) std::atomic<std::uint32_t> table[kMaxSegments]; // logical segment -> physical segment
  alignas(64) Answer answer;
};

inline constexpr std::size_t kRingStride = (sizeof(RingHeader) + kPage - 1) / kPage * kPage;
inline constexpr std::size_t kRingsOffset = kPage;
inline constexpr std::size_t kSegmentsOffset = kRingsOffset + kMaxThreads * kRingStride;

constexpr std::size_t ring_offset(std::uint32_t thread) { return kRingsOffset + thread * kRingStride; }
constexpr std::size_t segment_offset(std::uint32_t physical) { return kSegmentsOffset + physical * kSegmentBytes; }

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

} // namespace farcast::stream
