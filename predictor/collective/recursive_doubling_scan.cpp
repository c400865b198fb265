#include "predictor/collective/algorithms.h"

namespace farcast::collective {

// A rank hears from its peer across each bit; it reduces twice when the peer is below: into its result and into what it passes
// on.
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
