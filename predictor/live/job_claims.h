// What a job is, by what its processes say of it: each is one voice among others, and may be wrong.
//
// Threads: pure functions.
#pragma once

#include "libinterpose/stream/segment.h"

#include <string>
#include <string_view>
#include <vector>

namespace farcast::live {

// What one process says about its job.
struct Claim {
  int pid = 0;
  int rank = -1;
  int world_size = 0; // 0: it has said nothing yet
  std::string mpi_version;
  std::string counters;
};

// Returns: what the header of a rank's file says; world_size 0 where that cannot be.
Claim claim_in(const stream::RankHeader& head, int pid);

// Returns: the size that most processes say; of two sizes with as many voices, what was said first;
// 0: nobody has said any. `claims`: in the order in which the processes came.
int size_by_voices(const std::vector<const Claim*>& claims);

// Returns: [claim] whether its process is that rank of a job of that size: of several that say they
// are one rank, the first.
std::vector<bool> accepted(const std::vector<const Claim*>& claims, int world_size);

// "PAPI_TOT_INS,PAPI_TOT_CYC" -> names. What another process wrote: more than there can be is cut.
std::vector<std::string> event_names(std::string_view text);

} // namespace farcast::live
