#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void linear_alltoall(Place at, double block, Schedule& out) {
  for (int distance = 1; distance < at.size; ++distance) ireceive(out, at.around(distance), block);
  for (int distance = 1; distance < at.size; ++distance) isend(out, at.around(-distance), block);
  if (at.size > 1) wait_all(out);
}

} // namespace farcast::collective
