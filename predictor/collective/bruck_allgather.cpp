#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

void bruck_allgather(Place at, const Blocks& blocks, Schedule& out) {
  for (int distance = 1; distance < at.size; distance *= 2) {
    const int number = std::min(distance, at.size - distance);
    exchange(out, at.around(-distance), blocks.sum_around(at.rank, number), at.around(distance),
             blocks.sum_around(at.around(distance), number));
  }
  if (at.rank > 0) copy(out, blocks.total()); // blocks came in order from this rank's on: turned round
}

} // namespace farcast::collective
