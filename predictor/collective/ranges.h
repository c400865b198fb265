// For which message sizes a library takes which algorithm, exactly: read off its rules, not sampled.
#pragma once

#include "predictor/collective/schedule.h"
#include "predictor/trace/operation.h"

#include <string_view>
#include <vector>

namespace farcast::collective {

struct Range {
  double first_bytes; // the range goes on to the next one's first
  std::string_view algorithm;
};

// Bytes are of the whole buffer, or of one rank's block where every rank has one (all blocks
// equal). Operators commute if `commutative`; the datatype has elements of `element_bytes`.
// Returns: ascending ranges from 1 byte on (0 for a barrier), neighbours with different algorithms.
std::vector<Range> ranges(trace::CollectiveKind kind, int size, bool commutative, const Context& context,
                          double element_bytes = 8);

} // namespace farcast::collective
