// The critical path of each algorithm, as a formula of (p, n, T).
//
// In: a call as the selector sees it, a wire; out: seconds from the entry of the last rank to the
// end of the last one, all ranks entering at once, as if only messages of one rank could meet on a
// link. Threads: functions of their arguments.
#pragma once

#include "predictor/collective/closed_form.h"
#include "predictor/collective/selector.h"

#include <bit>

namespace farcast::collective {

inline int ceil_log2(int n) { return n <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1))); }

// Of the algorithm that the library takes for the call. Requires: call.at.size > 1; call.bytes of
// the whole buffer, or of one block where every rank has one.
double critical_path(const Call& call, const Wire& wire);
// Of one by name, as the library spells it. Returns: a negative number when the call has no such
// algorithm.
double critical_path_of(std::string_view algorithm, const Call& call, const Wire& wire);

} // namespace farcast::collective
