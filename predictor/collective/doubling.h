// Recursive doubling over any number of ranks: what a subtree cut off by the communicator's end
// cannot send to all of its peer subtree is passed on within that one by halving.
//
// At distance `bit` the ranks of [base, base + bit) exchange with those of [base ^ bit, ...).
// Thakur05 section 4.1 (allgather). Open MPI and MPICH share this form for broadcasts, allgathers
// and reduce-scatters.
#pragma once

#include "predictor/collective/steps.h"

namespace farcast::collective {

// Calls exchanged(peer) where rank meets its peer at this distance, then sent(peer) or
// received(peer) for each message that is passed on within the lower subtree. Returns: whether this
// rank has now got the peer subtree's data.
template <class Exchanged, class Sent, class Received>
bool doubling_round(int rank, int size, int bit, Exchanged exchanged, Sent sent, Received received) {
  const int base = rank / bit * bit;
  const int peer = rank ^ bit;
  bool got = peer < size;
  if (got) exchanged(peer);
  if ((base ^ bit) + bit <= size) return got;
  const int holders = size - base - bit; // ranks of the cut subtree: as many of the whole one have its data
  for (int half = bit / 2; half > 0; half /= 2) {
    const int other = rank ^ half;
    const int first_without = rank / (2 * half) * (2 * half) + holders;
    if (other > rank && rank < first_without && other >= first_without) {
      sent(other);
    } else if (other < rank && other < first_without && rank >= first_without) {
      received(other);
      got = true;
    }
  }
  return got;
}

} // namespace farcast::collective
