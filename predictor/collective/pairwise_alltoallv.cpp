#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void pairwise_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, Schedule& out) {
  for (int distance = 1; distance < at.size; ++distance) {
    const int to = at.around(distance);
    const int from = at.around(-distance);
    exchange(out, to, sent[static_cast<std::size_t>(to)], from, received[static_cast<std::size_t>(from)]);
  }
}

} // namespace farcast::collective
