// Files of regions' slowdowns: HDF5 as slowdown_file.md describes it, and SimGrid's
// comp-adjustment-file.
//
// Both are written complete or not at all. Errors name the file, the place, what was found and what
// was expected.
#pragma once

#include "predictor/base/result.h"
#include "predictor/region/slowdown_table.h"

#include <string>

namespace farcast::region {

inline constexpr int kSlowdownFileVersion = 2; // 2: callers; files without any are of version 1

// Which of the two it is shows in the first bytes. Requires (of the result): the table's invariants
// hold.
base::Result<SlowdownTable> read_slowdowns(const std::string& path);
base::Result<void> write_slowdowns(const std::string& path, const SlowdownTable& table);
// SimGrid's file: one line `"start:stop",ratio` per region whose two sites have a file and a line.
base::Result<void> write_adjustments(const std::string& path, const SlowdownTable& table);

} // namespace farcast::region
