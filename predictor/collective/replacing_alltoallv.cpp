#include "predictor/collective/algorithms.h"

namespace farcast::collective {

void replacing_alltoallv(Place at, const std::vector<double>& sent, const std::vector<double>& received, Schedule& out) {
  for (int peer = 0; peer < at.size; ++peer)
    if (peer != at.rank)
      exchange(out, peer, sent[static_cast<std::size_t>(peer)], peer, received[static_cast<std::size_t>(peer)]);
}

} // namespace farcast::collective
