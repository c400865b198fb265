#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void double_ring_barrier(Place at, Schedule& out) {
  if (at.size == 1) return;
  const int left = at.around(-1);
  const int right = at.around(1);
  for (int turn = 0; turn < 2; ++turn) {
    if (at.rank > 0) receive(out, left, 0);
    send(out, right, 0);
    if (at.rank == 0) receive(out, left, 0);
  }
}

} // namespace farcast::collective
