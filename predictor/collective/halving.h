// Reduce-scatter by recursive vector halving and distance doubling, the first half of
// Rabenseifner's reduce and allreduce.
//
// In Open MPI's form: of each extra pair the even rank goes on. Thakur05 section 4.5, steps 1 and 2.
#pragma once

#include "predictor/collective/fold.h"
#include "predictor/collective/steps.h"

#include <vector>

namespace farcast::collective {

struct Halving {
  int peer;
  double kept;  // the half of the window that this rank went on with
  double given; // the half that the peer went on with
};

// Returns: the halvings in the order made, empty for a rank that sat out. The last kept window is
// the rank's result.
std::vector<Halving> reduce_by_halving(const Fold& fold, double bytes, Schedule& out);
// MPICH's form: whole buffers of each extra pair become one; then halving over growing distances in
// blocks of one survivor.
std::vector<Halving> reduce_folded(const Fold& fold, double bytes, Schedule& out);

} // namespace farcast::collective
