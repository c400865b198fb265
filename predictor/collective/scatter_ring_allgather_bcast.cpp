#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

namespace {

// Binomial scatter of the root's buffer, relative rank r ending with block r. Empty parts are not sent.
void scatter_phase(Place at, int root, const Blocks& blocks, Schedule& out) {
  const int relative = at.around(-root);
  const auto part = [&](int first, int ranks) { return blocks.sum(first, std::min(first + ranks, at.size)); };
  int reach = 1; // ranks below: a power of two, cut off at the communicator's end
  while (reach < at.size && (relative & reach) == 0) reach *= 2;
  if (relative > 0 && part(relative, reach) > 0) receive(out, (relative - reach + root) % at.size, part(relative, reach));
  for (int bit = reach / 2; bit > 0; bit /= 2)
    if (relative + bit < at.size && part(relative + bit, bit) > 0) send(out, at.around(bit), part(relative + bit, bit));
}

} // namespace

void scatter_ring_allgather_bcast(Place at, int root, double bytes, Schedule& out) {
  const Blocks blocks = Blocks::ceiling(bytes, at.size);
  scatter_phase(at, root, blocks, out);
  // The ring runs over ranks relative to the root: relative rank r holds block r.
  ring_allgather_phase(at, blocks, at.size - root, out);
}

} // namespace farcast::collective
