#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

void binomial_scatter_phase(Place at, int root, const Blocks& blocks, Schedule& out) {
  const int relative = at.around(-root);
  const auto part = [&](int first, int ranks) { return blocks.sum(first, std::min(first + ranks, at.size)); };
  int reach = 1; // ranks below: a power of two, cut off at the communicator's end
  while (reach < at.size && (relative & reach) == 0) reach *= 2;
  if (relative > 0 && part(relative, reach) > 0) receive(out, (relative - reach + root) % at.size, part(relative, reach));
  for (int bit = reach / 2; bit > 0; bit /= 2)
    if (relative + bit < at.size && part(relative + bit, bit) > 0) send(out, at.around(bit), part(relative + bit, bit));
}

} // namespace farcast::collective
