#include "predictor/collective/algorithms.h"

#include <algorithm>

namespace farcast::collective {

void scattered_alltoall(Place at, double block, int throttle, Schedule& out) {
  for (int first = 0; first < at.size; first += throttle) {
    const int last = std::min(first + throttle, at.size);
    for (int distance = std::max(first, 1); distance < last; ++distance) ireceive(out, at.around(distance), block);
    for (int distance = std::max(first, 1); distance < last; ++distance) isend(out, at.around(-distance), block);
    if (last > 1) wait_all(out);
  }
}

} // namespace farcast::collective
