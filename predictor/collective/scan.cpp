// MPI_Scan and MPI_Exscan: the algorithms (algorithms.h).
#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_scan(Place at, double bytes, Schedule& out) {
  if (at.rank > 0) {
    receive(out, at.rank - 1, bytes);
    reduce(out, bytes);
  }
  if (at.rank + 1 < at.size) send(out, at.rank + 1, bytes);
}

// A rank hears from its peer across each bit; it reduces twice when the peer is below: into its
// result and into what it passes on.
void recursive_doubling_scan(Place at, double bytes, Schedule& out) {
  for (int bit = 1; bit < at.size; bit *= 2) {
    const int peer = at.rank ^ bit;
    if (peer >= at.size) continue;
    exchange(out, peer, bytes, peer, bytes);
    reduce(out, bytes);
    if (peer < at.rank) reduce(out, bytes);
  }
}

} // namespace farcast::collective
