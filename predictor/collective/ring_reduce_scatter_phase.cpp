#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void ring_reduce_scatter_phase(Place at, const Blocks& blocks, int first, Schedule& out) {
  if (at.size == 1) return;
  const int left = at.around(-1);
  const int right = at.around(1);
  const auto block = [&](int step) { return blocks.size((at.rank - first - step + 2 * at.size) % at.size); }; // sent in this step
  ireceive(out, left, block(1));
  send(out, right, block(0));
  // Double buffering: the next block comes in while this one is reduced.
  for (int step = 1; step < at.size; ++step) {
    wait_all(out);
    if (step + 1 < at.size) ireceive(out, left, block(step + 1));
    reduce(out, block(step));
    if (step + 1 < at.size) send(out, right, block(step));
  }
}

} // namespace farcast::collective
