#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_barrier(Place at, Schedule& out) {
  if (at.rank > 0) {
    send(out, 0, 0);
    receive(out, 0, 0);
    return;
  }
  for (int peer = 1; peer < at.size; ++peer) receive(out, peer, 0);
  for (int peer = 1; peer < at.size; ++peer) isend(out, peer, 0);
  if (at.size > 1) wait_all(out);
}

} // namespace farcast::collective
