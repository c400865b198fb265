#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void ring_allgather_phase(Place at, const Blocks& blocks, int start, Schedule& out) {
  const auto block = [&](int step) { return blocks.size((at.rank + start - step + at.size) % at.size); }; // sent in this step
  for (int step = 0; step + 1 < at.size; ++step) exchange(out, at.around(1), block(step), at.around(-1), block(step + 1));
}

} // namespace farcast::collective
