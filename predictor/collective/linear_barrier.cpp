#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_barrier(Place at, Schedule& out) {
  if (at.size == 1) return;
  if (at.rank > 0) {
    send(out, 0, 0);
    receive(out, 0, 0);
    return;
  }
  for (int peer = 1; peer < at.size; ++peer) ireceive(out, peer, 0);
  wait_all(out);
  for (int peer = 1; peer < at.size; ++peer) send(out, peer, 0);
}

} // namespace farcast::collective
