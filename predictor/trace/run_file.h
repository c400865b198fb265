// A recorded run as one HDF5 file: everything that `farcast predict` needs, on any machine.
// run_file.md describes the format.
//
// Recording -> file -> an equal Recording: every slot of every thread byte for byte, so the decoder
// makes the same operations. Streams pass through block by block; memory does not grow with the run
// beyond the recording's own budget.
// Threads: any; HDF5 is used by one at a time.
#pragma once

#include "predictor/base/result.h"
#include "predictor/trace/recording.h"

#include <memory>
#include <string>
#include <vector>

namespace farcast::trace {

// 3: groups of post and start; 4: what other threads of a rank used; 5: announced calls of coupled runs
inline constexpr int kRunFileVersion = 5;
inline constexpr int kOldestRunFileVersion = 2; // that is still read; 2: polls that alternate are folded

// Requires: all streams are closed. The file appears complete or not at all.
// Errors: disk full, no such directory, not a regular file; a temporary file that cannot be read back.
base::Result<void> write_run_file(const std::string& path, Recording& recording);

// Returns: whether the file is of the kind that run files are (HDF5); a pipe is not asked.
bool is_run_file(const std::string& path);

// Returns: the recording, ranks sorted, all streams closed; `source` is the path.
// Errors: not an HDF5 file, not a run file, of another version, cut short, damaged.
base::Result<std::unique_ptr<Recording>> read_run_file(const std::string& path);

// The files of several nodes of one job -> one recording. A single one comes back as it is.
// Errors: not the same job (program, MPI library, number of ranks), a rank that two of them hold.
base::Result<std::unique_ptr<Recording>> join(std::vector<std::unique_ptr<Recording>> parts);

// Errors: ranks are missing (names them, and what to do), or there are processes that are none of
// the job's ranks.
base::Result<void> check_complete(const Recording& recording);

} // namespace farcast::trace
