// A collective call as one rank sees it: a list of sends, receives and local steps.
//
// Each algorithm is a function that appends the steps of ONE rank; the engine plays the steps of
// all ranks against each other. Peers are communicator ranks. A receive takes whatever size was
// sent.
#pragma once

#include "predictor/trace/operation.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace farcast::collective {

enum class StepKind : std::uint8_t {
  send,         // blocking standard-mode send of `bytes` to `peer`
  receive,      // blocking receive from `peer`
  isend,        // non-blocking; completed by one of the waits
  ireceive,     // non-blocking; completed likewise
  wait_all,     // all isend/ireceive that are under way
  wait_earlier, // all of them but the one that was posted last
  wait_second,  // only the one that was posted last but one
  reduce,       // local reduction of `bytes`
  copy,         // local copy of `bytes`
  rest,         // the rank's core may rest from now on (power_aware.h); nothing without a policy that throttles
  work,         // and from now on no longer
};

struct Step {
  StepKind kind = StepKind::wait_all;
  int peer = -1;
  double bytes = 0;
};

using Schedule = std::vector<Step>;

class NodeLayout;
struct Selection;

// What a schedule depends on beside the call.
struct Context {
  const Selection* selection = nullptr; // null: Open MPI's choices
  const NodeLayout* nodes = nullptr;    // null: no two members share a node
  bool nonblocking = false;
};

// Appends to `schedule` the steps of communicator rank `rank` of `size` in this collective.
// Messages of zero bytes are sent where the real algorithm sends them. For inter-communicators
// `remote_size` is the other group's size (0: intra-communicator) and peers >= size mean remote
// rank (peer - size); the root is as trace/operation.h says.
//
// The choice is that of Open MPI 4.1 or MPICH 4.0 (README.md says what is approximated). Blocks are
// cut at whole bytes, and an element of unknown size counts as 8 bytes. MPI_IN_PLACE leaves local
// copies out and takes other algorithms, where the libraries do. As in them, a call that moves no
// data at all sends nothing ("none").
//
// Returns: the name of the algorithm taken (static storage), e.g. "binomial"; "local" for a
// communicator of one rank.
std::string_view build(const trace::Collective& collective, int rank, int size, int remote_size, const Context& context,
                       Schedule& schedule);
// The same with Open MPI's choices.
std::string_view build(const trace::Collective& collective, int rank, int size, int remote_size, Schedule& schedule);

} // namespace farcast::collective
