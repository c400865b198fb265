// What handles stand for: the size of a datatype, the number of a communicator and who is in it.
//
// Both are looked up in per-thread caches; an epoch that every free bumps makes stale entries
// harmless, because libraries hand the same handle out again. Communicators get rank-local numbers:
// 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF, the others in order of appearance. The first use of a
// communicator writes its members into the stream.
#pragma once

#include "libinterpose/library.h"
#include "libinterpose/thread.h"

#include <atomic>

namespace farcast::interpose {

extern std::atomic<std::uint32_t> type_epoch;
extern std::atomic<std::uint32_t> comm_epoch;

std::uint64_t type_size_slow(TypeCacheEntry& entry, MPI_Datatype type, std::uint64_t key);
CommInfo comm_info_slow(Thread& thread, CommCacheEntry& entry, MPI_Comm comm, std::uint64_t key);

inline std::uint32_t slot_of(std::uint64_t key, std::uint32_t size) {
  return static_cast<std::uint32_t>(stream::spread(key) >> 40) % size;
}

// Returns: bytes of one element; 0 for MPI_DATATYPE_NULL.
inline std::uint64_t type_size(Thread& thread, MPI_Datatype type) {
  const std::uint64_t key = key_of(type);
  TypeCacheEntry& entry = thread.types[slot_of(key, kTypeCacheSize)];
  if (entry.key == key && entry.epoch == type_epoch.load(std::memory_order_relaxed)) return entry.size;
  return type_size_slow(entry, type, key);
}

// Returns: the communicator's number and sizes; {kNoComm, 0, 0, 0, false} for MPI_COMM_NULL.
inline CommInfo comm_info(Thread& thread, MPI_Comm comm) {
  const std::uint64_t key = key_of(comm);
  CommCacheEntry& entry = thread.comms[slot_of(key, kCommCacheSize)];
  if (entry.key == key && entry.epoch == comm_epoch.load(std::memory_order_relaxed)) return entry.info;
  return comm_info_slow(thread, entry, comm, key);
}

// Adds the members of a group to the call that is being recorded.
void write_named_group(Thread& thread, MPI_Group group);
void forget_types();
void forget_comm(MPI_Comm comm);
// From now on `comm` is known as one that comes from a session.
void adopt_session_comm(MPI_Comm comm);
// From now on `copy` is known as a copy of `parent`. It may not be asked about itself yet
// (MPI_Comm_idup), and all members number it here.
void adopt_copy(Thread& thread, MPI_Comm parent, MPI_Comm copy);
// Returns: length of the count arrays of neighbourhood collectives.
void neighbor_counts(MPI_Comm comm, int& in, int& out);
bool is_commutative(MPI_Op op);
// Returns: the rank in MPI_COMM_WORLD of a rank of the window, or of the communicator, its remote
// group where there is one; negative where it has none. For the one thread of a coupled program.
int world_rank_in_window(MPI_Win win, int rank);
int world_rank_in_comm(Thread& thread, MPI_Comm comm, int rank);
void forget_windows();

} // namespace farcast::interpose
