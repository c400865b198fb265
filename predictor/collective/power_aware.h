// Algorithms that let cores rest while others communicate (Kandalla10 V), of no library: --policy
// throttle takes them, or --collectives by name.
//
//   alltoall, alltoallv   four_phase.h: one half of each node's sockets at a time
//   bcast, reduce         node_leaders.h: all but the leaders, while these communicate between nodes
// Their schedules say when a core rests (StepKind::rest, work). Threads: pure functions, constant data.
#pragma once

#include "predictor/collective/selector.h"

namespace farcast::collective {

// Returns: the algorithms, where a library's families stand; each has one.
std::span<const Family> power_aware_families();
// Returns: the name of that of the kind; empty: it has none.
std::string_view power_aware_name(trace::CollectiveKind kind);
// Whether cores of a blocking call over these nodes can rest; else the library's choice stands.
bool lets_rest(trace::CollectiveKind kind, bool commutative, const NodeLayout& nodes);

} // namespace farcast::collective
