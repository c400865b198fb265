// What differs between Open MPI and MPICH: constants, handles as numbers, the fields of MPI_Status.
//
// Compiled once per library (FARCAST_OPENMPI or FARCAST_MPICH). Refers to no symbol of the MPI
// library: predefined handles that are addresses are looked up with dlsym (load_constants), because
// a preload library with strong references to them would kill programs without MPI.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0 // functions that MPI 3.0 removed are still exported and called
#define OMPI_REMOVED_USE_STATIC_ASSERT 0
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "libinterpose/stream/record.h"

#include <cstdint>
#include <cstring>

namespace farcast::interpose {

// A handle as an opaque number.
template <class Handle> std::uint64_t key_of(Handle handle) {
  static_assert(sizeof(Handle) <= sizeof(std::uint64_t));
  std::uint64_t key = 0;
  std::memcpy(&key, &handle, sizeof(handle));
  return key;
}

struct Constants { // handles as keys
  std::uint64_t comm_world;
  std::uint64_t comm_self;
  std::uint64_t comm_null;
  std::uint64_t request_null;
  std::uint64_t datatype_null;
  std::uint64_t op_null;
  std::uint64_t group_null;
  std::uint64_t win_null;
  std::uint64_t message_null;
  std::uint64_t message_no_proc;
  std::uint64_t packed;
  bool loaded;
};
extern Constants constants;
// Predefined handles. Require: the constants are loaded.
MPI_Comm comm_world();
MPI_Comm comm_self();
MPI_Comm comm_null();
MPI_Op op_null();
MPI_Datatype type_packed();
// Looks the predefined handles up. Requires: the MPI library is loaded.
void load_constants();

#if defined(FARCAST_OPENMPI)
inline constexpr const char* kLibraryName = "Open MPI";
inline std::uint64_t status_bytes(const MPI_Status& status) { return status._ucount; }
inline bool status_cancelled(const MPI_Status& status) { return status._cancelled != 0; }
#elif defined(FARCAST_MPICH)
inline constexpr const char* kLibraryName = "MPICH";
inline std::uint64_t status_bytes(const MPI_Status& status) {
  const auto high = static_cast<std::uint32_t>(status.count_hi_and_cancelled);
  return (static_cast<std::uint64_t>(high >> 1) << 32) | static_cast<std::uint32_t>(status.count_lo);
}
inline bool status_cancelled(const MPI_Status& status) { return (status.count_hi_and_cancelled & 1) != 0; }
#else
#error "compile for one MPI library"
#endif

inline bool is_in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }
inline std::int32_t peer_code(int peer) {
  if (peer >= 0) return peer;
  if (peer == MPI_ANY_SOURCE) return stream::kAnyPeer;
  if (peer == MPI_ROOT) return stream::kRootPeer;
  return stream::kNoPeer;
}
inline std::int32_t tag_code(int tag) { return tag == MPI_ANY_TAG ? stream::kAnyTag : tag; }
inline std::int32_t lock_code(int type, int assertion) {
  if ((assertion & MPI_MODE_NOCHECK) != 0) return stream::kLockUnchecked;
  return type == MPI_LOCK_EXCLUSIVE ? stream::kLockExclusive : stream::kLockShared;
}

} // namespace farcast::interpose
