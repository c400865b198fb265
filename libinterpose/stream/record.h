// The wire format between the interposer and the predictor: 64-byte slots, written by one thread,
// read by another process.
//
// Every MPI call is one Call slot, followed by extension slots where 64 bytes do not suffice. Slots
// of kind <= kLastEntryKind are published when the call is entered; result extensions and the
// result half of the Call slot are complete once the next Call (or End) slot is published.
// README.md in this folder draws the state machine and gives an example in bytes.
//
// Invariants: (1) trivially copyable, fixed layout, little-endian; (2) no pointers of either side
// are followed by the other; `site` and `handle` are opaque keys; (3) a reader assumes that the
// writer may be corrupt: unknown kinds are errors.
#pragma once

#include "libinterpose/stream/spread.h"

#include <cstddef>
#include <cstdint>

namespace farcast::stream {

inline constexpr std::uint32_t kMagic = 0x54534346; // "FCST"
inline constexpr std::uint32_t kVersion = 13;
inline constexpr std::size_t kSlotBytes = 64;

enum class SlotKind : std::uint8_t {
  invalid = 0,
  call = 1, // CallSlot
  end = 2,  // the thread will record no more; completes the last call. aux: kEndOfRank when it comes from MPI_Finalize
  // Extensions published with the call's entry.
  receive_half = 8, // Payload: ReceiveHalf (Sendrecv)
  handles = 9,      // Payload: u64[count]: request handles, in argument order
  send_counts = 10, // Payload: u64[count]: bytes per peer (v and w collectives)
  receive_counts = 11,
  region_cpu = 12,     // Payload: u64: thread CPU time in ns of the region before this call (in run files of format version 4)
  ticket = 13,         // Payload: u64: order of this call among the rank's threads
  stack = 14,          // Payload: u64[count]: frames of the stack whose key is the call's site, innermost first
  counters = 15,       // Payload: u64[count]: hardware counter differences over the region before this call
  group = 16,          // Payload: RankRange[count]: world ranks of the group that the call names (MPI_Win_post, MPI_Win_start)
  handle_numbers = 17, // Payload: u16[count]: as `handles`, of handles that both ends know
  region_aside = 18,   // Payload: Aside: of the region before this call
  region_others = 19,  // Payload: Others: read when this call was entered
  announced = 20,      // no payload: the entry of an announced call is complete (coupled)
  // Extensions that carry results; they follow the call that they belong to.
  statuses = 32, // Payload: StatusEntry[count]
  indices = 33,  // Payload: u32[count]: completed indices (Waitsome, Testsome)
  members = 34,  // Payload: RankRange[count]; aux: communicator id: world ranks of its (local) group
  remote_members = 35,
  sources = 36, // Payload: i32[count]; aux: communicator id: in-neighbours of its topology
  destinations = 37,
  fold = 38,    // Payload: Fold: the repetitions that a kFlagRow call stands for; aux: us that others had of them
  message = 39, // Payload: u64: the matched message that Mprobe or Improbe returned
  row = 40,     // Payload: Row: the same call again and again, with nothing between; changes until the next call is published
  started = 41, // Payload: u64[count]: requests, in order: what that row's calls started; those of Startall, when it changed them
  started_numbers = 42, // Payload: u16[count]: the same, of handles that both ends know
  call_aside = 43,      // Payload: Aside: of this call, which waits for nobody; several add up
  call_others = 44,     // Payload: Others: read when this call was over
};
inline constexpr std::uint8_t kFirstResultKind = 32;
inline constexpr std::uint32_t kEndOfRank = 1;

// Peers and tags, whatever numbers the MPI library uses.
inline constexpr std::int32_t kNoPeer = -1;   // MPI_PROC_NULL
inline constexpr std::int32_t kAnyPeer = -2;  // MPI_ANY_SOURCE
inline constexpr std::int32_t kRootPeer = -3; // MPI_ROOT
inline constexpr std::int32_t kAnyTag = -1;

// Tags of MPI_Win_lock and MPI_Win_lock_all; 0: not known.
inline constexpr std::int32_t kLockShared = 1;
inline constexpr std::int32_t kLockExclusive = 2;
inline constexpr std::int32_t kLockUnchecked = 3; // the program says that nobody else has it (MPI_MODE_NOCHECK)

inline constexpr std::uint32_t kCommWorld = 0;
inline constexpr std::uint32_t kCommSelf = 1;
inline constexpr std::uint32_t kNoComm = 0xffffffff;
inline constexpr std::uint32_t kSessionComm = 0xfffffffe; // made from a session: its members have no world ranks

inline constexpr std::uint16_t kOutcomeUndefined = 0xffff; // no index, no active request
inline constexpr std::uint16_t kOutcomeError = 0xfffe;     // the call returned an error code
inline constexpr std::uint16_t kOutcomeLarge = 0xfffd;     // index in an `indices` extension

// Bits of CallSlot::flags.
inline constexpr std::uint8_t kFlagCommutative = 1; // reductions
inline constexpr std::uint8_t kFlagInPlace = 2;
inline constexpr std::uint8_t kFlagCancelled = 4; // result: the receive was cancelled
inline constexpr std::uint8_t kFlagFound = 8;     // result: Test*, Iprobe: something was there
inline constexpr std::uint8_t kFlagRow = 16;      // fruitless repetitions of an open poll; `fold` says how many
inline constexpr std::uint8_t kFlagRepeat = 32; // a repetition of an open poll that found something: its `handles` are that one's

inline constexpr std::uint8_t kFlagAnnounced = 64;        // coupled: what comes of the call is in the kFlagAnswer slot behind it
inline constexpr std::uint8_t kFlagAnswer = 128;          // coupled: the result half of the announced call before
inline constexpr std::uint8_t kFlagAhead = kFlagInPlace;  // coupled, announced messages and completions: nobody awaits an answer
inline constexpr std::uint8_t kFlagDeferred = kFlagFound; // coupled, Irecv: really posted once its message is decided

// Polls that stay open at a time: fruitless ones, each with its call of its own, whose repetitions
// need none. An open poll is told by function, site, bytes, peer and tag.
inline constexpr std::size_t kMostOpenPolls = 4;

struct CallSlot {
  SlotKind kind;
  std::uint8_t flags;
  std::uint16_t function; // index into the function table (mpi_functions.txt, in its order)
  std::uint32_t comm;     // rank-local communicator id, or kNoComm
  std::uint64_t t_enter;  // time-stamp counter
  std::uint64_t site;     // return address, or the key of a `stack` extension
  std::uint64_t bytes;    // payload sent or posted; Wait family: the handle (one request) or 0
  std::int32_t peer;      // communicator rank; root of collectives; number of requests of array calls
  std::int32_t tag;       // of reductions: bytes of an element, or 0; in place: of the send count; of locks: kLock*
  std::uint64_t result;   // bits 0-47: ticks spent in the call; bits 48-63: outcome (index, flag, kOutcome*)
  union {
    std::uint64_t handle; // request, window, file, or the id of a new communicator
    struct {
      std::int32_t source; // status of a completed receive or probe, communicator rank
      std::int32_t tag;
    } status;
  };
  std::uint64_t result_bytes; // bytes of the status; receive side of collectives (set at entry)
};
static_assert(sizeof(CallSlot) == kSlotBytes);

inline constexpr std::uint64_t kDurationMask = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t pack_result(std::uint64_t ticks, std::uint16_t outcome) {
  return (ticks & kDurationMask) | (static_cast<std::uint64_t>(outcome) << 48);
}
constexpr std::uint64_t duration_of(std::uint64_t result) { return result & kDurationMask; }
constexpr std::uint16_t outcome_of(std::uint64_t result) { return static_cast<std::uint16_t>(result >> 48); }

struct ReceiveHalf {
  std::uint64_t bytes;
  std::int32_t source;
  std::int32_t tag;
};

struct StatusEntry {
  std::uint32_t index; // position in the request array
  std::int32_t source;
  std::int32_t tag;
  std::uint32_t cancelled;
  std::uint64_t bytes;
};

struct RankRange { // first, first + stride, ... (count of them)
  std::int32_t first;
  std::int32_t stride;
  std::uint32_t count;
};

struct Aside {          // time that goes out of a region or call: it is neither the program's work nor its waiting
  std::uint64_t ns;     // the thread could have run and did not
  std::uint64_t own_ns; // finding that out
};

// CPU time since the last such reading, at the end of a long region or call; what lay before it is
// in it as well.
struct Others {
  std::uint64_t ns;        // of the program's threads but the one that records
  std::uint64_t own_ns;    // of that one
  std::uint64_t passed_ns; // since the last reading
};

struct Fold {
  std::uint64_t calls;         // of the row; its first call has a slot of its own and does not count
  std::uint64_t compute_ticks; // before each of them; the rest of the slot's duration was spent in them
};

// Libraries hand the same requests out again and again. Each end of a thread's stream keeps a table
// of kKnownHandles of them: one that is written in full takes its place there, and while it stands
// there its place is enough. All places hold 0 at first.
inline constexpr std::uint32_t kKnownHandleBits = 12;
inline constexpr std::size_t kKnownHandles = std::size_t{1} << kKnownHandleBits;
constexpr std::uint16_t place_of_handle(std::uint64_t handle) {
  return static_cast<std::uint16_t>(spread(handle) >> (64 - kKnownHandleBits));
}

// Repetitions of a call that cannot block: same function, site and arguments. The call itself has a
// slot of its own and does not count. Ends before a region or behind a call that is measured apart,
// and within kMostRowNs of its first call.
struct Row {
  std::uint64_t calls;
  std::uint64_t compute_ticks; // before each of them, in all
  std::uint64_t in_ticks;      // in them, in all
  std::uint64_t most_compute_ticks;
  std::uint64_t most_in_ticks;
  std::uint64_t least_in_ticks;
};
inline constexpr std::uint64_t kMostRowCalls = 4096;
inline constexpr std::uint64_t kMostRowNs = 1'000'000;

inline constexpr std::size_t kPayloadBytes = 56;

struct ExtensionSlot {
  SlotKind kind;
  std::uint8_t count; // elements in this slot
  std::uint16_t unused;
  std::uint32_t aux;
  union {
    unsigned char raw[kPayloadBytes];
    std::uint64_t words[7];
    std::uint32_t indices[14];
    std::uint16_t numbers[28];
    std::int32_t ranks[14];
    RankRange ranges[4];
    StatusEntry statuses[2];
    ReceiveHalf receive;
    Fold fold;
    Row row;
    Aside aside;
    Others others;
  };
};
static_assert(sizeof(ExtensionSlot) == kSlotBytes);

union Slot {
  CallSlot call;
  ExtensionSlot extension;
  SlotKind kind;
};
static_assert(sizeof(Slot) == kSlotBytes);

} // namespace farcast::stream
