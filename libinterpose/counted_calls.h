// The library's calls whose count may be above INT_MAX: MPICH has them (MPI_Send_c ...), Open MPI 4
// has none.
//
// Each takes the call with an int where that is enough, so that no library needs the others.
#pragma once

#include "libinterpose/library.h"
#include "libinterpose/real.h"

#include <climits>
#include <cstdint>

namespace farcast::interpose {

#ifdef FARCAST_OPENMPI
inline bool beyond_int(std::int64_t /*count*/) { return false; }
using Large = int;
#else
inline bool beyond_int(std::int64_t count) { return count > INT_MAX; }
using Large = MPI_Count;
#endif

int isend_counted(const void* buffer, std::int64_t count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,
                  MPI_Request* request);
int irecv_counted(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request);
// Puts the bytes that packing takes at most, or has taken, into `size`; before, it is the bytes of
// the data, or of the room for them.
int pack_size_counted(std::int64_t count, MPI_Datatype type, MPI_Comm comm, std::int64_t* size);
int pack_counted(const void* buffer, std::int64_t count, MPI_Datatype type, void* copy, MPI_Comm comm, std::int64_t* size);
int reduce_local_counted(const void* in, void* inout, std::int64_t count, MPI_Datatype type, MPI_Op op);

} // namespace farcast::interpose
