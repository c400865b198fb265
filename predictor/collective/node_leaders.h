// Broadcast and reduction of which the leaders of nodes alone communicate between nodes, while all other
// processes rest (Kandalla10 II-D, V-B).
//
//   bcast    the root hands the data to its node's leader; leaders among each other; each leader on its node
//   reduce   each node to its leader; leaders to that of the root's node, and from there to the root
// Our readings: both phases take MPICH's choice for their group (of MPICH MVAPICH2 was made):
// between leaders of large messages a scatter and an allgather, as eq. (2) has it. All rest from
// when they enter the phase between nodes; a leader works again when it is through with that, the
// others of its node when they hear from it: by the data of a bcast, of a reduce by a message
// without data, for which they stay in the call. A reduction whose operator does not commute stays
// the library's. Threads: pure functions.
// Requires: call.context->nodes, several of them.
#pragma once

#include "predictor/collective/selector.h"

namespace farcast::collective {

void node_leaders_bcast(const Call& call, Schedule& out);
void node_leaders_reduce(const Call& call, Schedule& out);

} // namespace farcast::collective
