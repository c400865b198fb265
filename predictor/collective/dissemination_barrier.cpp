#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void dissemination_barrier(Place at, Schedule& out) {
  for (int distance = 1; distance < at.size; distance *= 2) exchange(out, at.around(distance), 0, at.around(-distance), 0);
}

} // namespace farcast::collective
