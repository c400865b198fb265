// An all-to-all that lets half of each node's processes rest at a time (Kandalla10 V-A).
//
// A and B are the processes on the two halves of a node's sockets (NodeLayout::second_half):
//   1. all processes exchange with those of their own node
//   2. A of all nodes exchange with A of the others, B rest       3. likewise B, A rest
//   4. nodes are paired in turn, i < j: A_i exchange with B_j, then B_i with A_j
// Our readings: the half that goes on learns from the one that is done by messages without data
// within the node: to that one's first process, from there to the first of the other half, and to
// its others; a process rests until it has heard, and once it has told. Nodes are paired as in a
// round-robin tournament, N - 1 rounds of an even number of nodes, N of an odd one, in which one
// node in turn has none. Halves may differ in size: a process without a partner skips that step.
// Without both halves on some node nobody can rest, and the library's choice stands. Threads: pure
// functions.
#pragma once

#include "predictor/collective/selector.h"

namespace farcast::collective {

// Requires: call.context->nodes.
void four_phase(const Call& call, Schedule& out);

} // namespace farcast::collective
