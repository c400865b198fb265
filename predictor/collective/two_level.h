// MPICH's node-aware collectives: among the members of a node, among the nodes' leaders, among a
// node's members again.
//
// Each part takes the library's choice for its own group. A leader is the first member on its node.
// From MPICH 4.0.2, src/mpid/ch4/src/ch4_coll_impl.h. Within a node real MPICH may use shared
// memory without messages; here it sends messages.
// Requires: call.context->nodes, with two levels.
#pragma once

#include "predictor/collective/selector.h"

namespace farcast::collective {

void two_level_barrier(const Call& call, Schedule& out);
void two_level_bcast(const Call& call, Schedule& out);       // root to its leader, leaders, nodes
void root_node_first_bcast(const Call& call, Schedule& out); // the root's node, leaders, other nodes
void two_level_reduce(const Call& call, Schedule& out);      // nodes, leaders to rank 0, rank 0 to the root
void root_node_last_reduce(const Call& call, Schedule& out); // other nodes, leaders, the root's node
void two_level_allreduce(const Call& call, Schedule& out);
void two_level_scan(const Call& call, Schedule& out); // requires consecutive_nodes()

bool consecutive_nodes(const Call& call);

} // namespace farcast::collective
