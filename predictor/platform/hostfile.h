// Reader of MPI hostfiles: one host a line, `#` starts a comment.
//
//   node-1            as many slots as the host has cores for; one slot a line when the host is there on several such lines
//   node-2 slots=4    Open MPI's form
//   node-3:4          MPICH's and SimGrid's form
//
// file -> slots in the order of the file. A slot is for a rank, which has `cpus_per_rank` cores.
// Pure functions, any thread.
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/platform.h"

#include <string>
#include <string_view>
#include <vector>

namespace farcast::platform {

struct HostSlots {
  HostId host;
  int slots; // >= 1; 0 where a host named without a number has too few cores for a rank
};

// Errors: malformed line, unknown host (with the nearest names), more slots for a host than it has
// cores for, no host at all; each with file, line, what was found and what was expected.
base::Result<std::vector<HostSlots>> parse_hostfile(std::string_view text, const std::string& file_name, const Platform& platform,
                                                    int cpus_per_rank = 1);

} // namespace farcast::platform
